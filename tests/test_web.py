"""The playground: the engine in WebAssembly has the compiled program's results, and the page works.

Skips with the reason where Rust's target, Node, its packages or a browser are absent.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
BENCHES = ROOT / "python" / "backwater" / "benches"
# Simulated time of each benchmark: tens of thousands of packet hops.
CUT = {
    "lan-merge-pause": "20 s",
    "tcp-10-100M": "1 s",
    "fat-tree-1024": "20 us",
    "pfc-fat-tree-128": "200 us",
    "contest-140s": "10 s",
    "xcp-10-100M": "1 s",
    "wifi-12-rts": "1 s",
    "wlan-12-iacp": "2 s",
    "mesh-44": "1 s",
    "mesh-50": "1 s",
}

sys.path.insert(0, str(ROOT / "scripts"))
playground: Any = importlib.import_module("playground")


@pytest.fixture(scope="module")
def engine() -> Path:
    lacks = playground.missing()
    if lacks is not None:
        pytest.skip(f"the engine is not built for a browser: {lacks}")
    try:
        playground.packages()
    except subprocess.CalledProcessError:
        pytest.skip("the packages of web/package-lock.json can't be installed here (npm ci)")
    built: Path = playground.engine()
    return built


@pytest.fixture(scope="module")
def native() -> dict[str, str]:
    """The fingerprints that the compiled program gives the states of the gallery."""
    found: dict[str, str] = playground.native(playground.states())
    return found


@pytest.fixture(scope="module")
def page(engine: Path, native: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("web") / "playground.html"
    playground.page(engine, out, native)
    return out


@pytest.fixture(scope="module")
def seen(page: Path) -> dict[str, Any]:
    """The contents of a browser's page."""
    command = ["node", str(ROOT / "web/test/page.mjs"), str(page)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(printed.stdout)
    if "skipped" in found:
        pytest.skip(found["skipped"])
    return found


def test_every_state_of_the_gallery_has_the_fingerprint_of_the_compiled_program(
    engine: Path, native: dict[str, str]
) -> None:
    states = playground.states()
    assert len(native) == len(states) > 30
    assert len(set(native.values())) > 25, "the controls change the runs"
    assert playground.browser(states, engine) == native


def test_benchmarks_have_the_fingerprints_of_the_compiled_program(engine: Path) -> None:
    requests = []
    for name, duration in CUT.items():
        text = (BENCHES / f"{name}.toml").read_text(encoding="utf-8")
        sets = [["duration", duration], ["warmup", "0 s"]]
        request = {"text": text, "form": "toml", "seed": 1, "set": sets}
        requests.append({"key": name, "run": request})
    native = playground.native(requests)
    assert len(set(native.values())) == len(CUT)
    assert playground.browser(requests, engine) == native


def test_the_page_takes_at_most_what_was_asked(page: Path) -> None:
    # Packed as gzip in base64 it would be 1.7 MB.
    assert page.stat().st_size <= 1_300_000


UNPACK = """\
import {{ readFileSync }} from "node:fs";
import {{ build }} from "esbuild";
const asked = {{ entryPoints: ["src/lzma.ts"], bundle: true, write: false, format: "esm" }};
const made = await build(asked);
const code = Buffer.from(made.outputFiles[0].text).toString("base64");
const {{ bytesOf, unlzma }} = await import(`data:text/javascript;base64,${{code}}`);
process.stdout.write(unlzma(bytesOf(readFileSync("{path}", "latin1"))));
"""


def unpacked(text: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """What the page's own reader makes of a packed text."""
    (folder / "packed.txt").write_text(text, encoding="ascii")
    script = UNPACK.format(path=folder / "packed.txt")
    command = ["node", "--input-type=module", "-e", script]
    return subprocess.run(command, cwd=ROOT / "web", capture_output=True, check=False)


def test_what_is_packed_is_unpacked_and_what_is_cut_off_is_refused(
    engine: Path, tmp_path: Path
) -> None:
    """Python's own LZMA packs: an engine, and bytes without a pattern behind repeated ones."""
    noise = hashlib.shake_256(b"page").digest(30_000)
    for content in (engine.read_bytes()[:200_000], noise + 50 * noise[:700] + bytes(9_000), b""):
        text = playground.lettered(playground.packed(content))
        found = unpacked(text, tmp_path)
        assert found.returncode == 0, found.stderr
        assert found.stdout == content
    cut = unpacked(playground.lettered(playground.packed(noise)[:20_000]), tmp_path)
    assert cut.returncode != 0
    assert b"the packed engine ends too early" in cut.stderr


def test_each_page_runs_and_is_drawn(seen: dict[str, Any]) -> None:
    assert len(seen["pages"]) == 9
    for name, page in seen["pages"].items():
        assert page["native"] == "The compiled program has the same.", name
        assert not page["refusal"], name
        assert page["claims"] >= 1, name
        assert page["network"] > 0.002, f"{name}: the network has no pixels"
        assert page["curves"] >= 2, name
        assert all("Means:" in text for text in page["means"]), (name, page["means"])


def test_a_control_and_an_address_lead_to_their_runs(seen: dict[str, Any]) -> None:
    assert seen["slider"]["before"] != seen["slider"]["after"]
    # 33 packets at first, one step right, four left and one right: 8.
    assert seen["newest"]["text"] == "Buffer 8 packets"
    assert seen["address"]["fingerprint"] == seen["newest"]["native"]
    assert seen["address"]["length"] < 4_000


def test_a_refusal_names_place_and_remedy(seen: dict[str, Any]) -> None:
    assert "schema = 1" in seen["refusal"]
    assert "^" in seen["refusal"]


def test_the_page_is_usable_at_500_pixels_by_keyboard_and_alone(seen: dict[str, Any]) -> None:
    assert seen["narrow"] <= 0
    assert seen["unreachable"] == 0
    assert seen["unnamed"] == 0
    assert seen["outside"] == []
    assert seen["errors"] == []
