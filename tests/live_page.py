"""The live page of an emulation, served without one: twenty seconds of a link with a trace."""

from __future__ import annotations

import http.server
import json
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from backwater.model.simulate import run
from backwater.present import viewer

# Half seconds that are served.
INTERVALS = 40
SCENARIO = """\
schema = "backwater/scenario/1"
duration = "20 s"
nodes.inside = { kind = "host" }
nodes.outside = { kind = "host" }
links.up1 = { kind = "trace", from = "inside", to = "outside", trace = "even" }
links.down1 = { from = "outside", to = "inside", rate = "10 Mbit/s", delay = "20 ms" }
[flows.up]
from = "inside"
to = "outside"
transport = "tcp"
controller = { kind = "cubic" }
source = { kind = "bulk" }
"""


@cache
def recorded() -> tuple[list[dict[str, Any]], bytes]:
    """An emulator's messages of every half second, and the events as one record file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "live.toml"
        path.write_text(SCENARIO, encoding="utf-8")
        # An opportunity of 1504 B each 2 ms: 6.016 Mbit/s.
        path.with_name("even").write_text("".join(f"{2 * n}\n" for n in range(1, 501)))
        kept = Path(folder) / "live.bwrec"
        ran = run(path, record=kept, series="500 ms")
        record = kept.read_bytes()
    series = ran.document["series"]
    rows = [
        {
            "t_s": (number + 1) / 2,
            **{
                kind: {
                    name: {
                        what: values[number]
                        for what, values in one.items()
                        if isinstance(values, list) and values[number] is not None
                    }
                    for name, one in series[kind].items()
                }
                for kind in ("ports", "flows")
            },
        }
        for number in range(INTERVALS)
    ]
    return rows, record


def _answer(target: str) -> tuple[str, bytes]:
    path, _, number = target.partition("?from=")
    rows, record = recorded()
    if path == "/rows":
        return "application/json", json.dumps(rows[int(number) :]).encode()
    if path == "/events":
        last = INTERVALS - 1
        piece = struct.pack(">II", last, len(record)) + record if int(number) <= last else b""
        return "application/octet-stream", piece
    return "text/html; charset=utf-8", viewer.page([], live=True).encode()


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, body = _answer(self.path)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        # The browser may have closed its page.
        with suppress(ConnectionError):
            self.wfile.write(body)

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
