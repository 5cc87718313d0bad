"""The live page of an emulation, served without one: a minute of a link, two flows and queues."""

from __future__ import annotations

import http.server
import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from backwater.cli.real_time import LIVE_PAGE


def rows() -> list[dict[str, Any]]:
    """What an emulator says every half second."""
    found = []
    for number in range(1, 121):
        wave = 1 + math.sin(number / 9)
        ports = {
            "up1": {"capacity_bps": 6e6 * wave, "throughput_bps": 5e6 * wave, "queue_max_B": 4e4},
            "down1": {"capacity_bps": 6e6, "throughput_bps": 2e5, "queue_max_B": 1500.0},
        }
        flows = {
            "in>out": {"goodput_bps": 5e6 * wave, "delay_mean_s": 0.03 + 0.02 * wave},
            "out>in": {"goodput_bps": 2e5, "delay_mean_s": None if number % 7 else 0.02},
        }
        found.append({"t_s": number / 2, "flows": flows, "ports": ports})
    return found


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        begins = int(self.path.rpartition("=")[2]) if self.path.startswith("/rows") else None
        page = LIVE_PAGE.read_text(encoding="utf-8")
        body = page if begins is None else json.dumps(rows()[begins:])
        kind = "text/html" if begins is None else "application/json"
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.end_headers()
        # The browser may have closed its page.
        with suppress(ConnectionError):
            self.wfile.write(body.encode())

    def log_request(self, code: object = None, size: object = None) -> None:
        """Nothing: a test's output is its own."""


@contextmanager
def served() -> Iterator[str]:
    """The address of the page, while it is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/live.html"
    finally:
        server.shutdown()
        server.server_close()
