"""Builds the wheel with a profile: `python scripts/wheel.py [--out dist]`.

The compiler places branches and inlines by what a training run took. The training set is quick
forms of studies, none of which is a benchmark's scenario. `--profile-only FILE` ends with the
profile, for builds on other machines: `RUSTFLAGS=-Cprofile-use=FILE maturin build --release`.
A build with a profile computes what a plain one computes: fingerprints are equal.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "profile"
#: One or two studies of each medium, transport and kind of mechanism.
TRAINING = (
    "lan-merging",
    "lan-tcp",
    "lan-grid",
    "fct-buildup",
    "rtt-fairness",
    "aqm-bufferbloat",
    "cell-fixed-window",
    "mesh-baseline",
    "mesh-parking-lot",
    "mesh40-micro-collision",
    "mesh40-nocc",
    "wlan-gain",
)


def maturin(flags: str, out: Path) -> Path:
    """Builds the wheel with these flags of the compiler and gives its file."""
    shutil.rmtree(out, ignore_errors=True)
    environment = {**os.environ, "RUSTFLAGS": flags, "CARGO_TARGET_DIR": str(WORK / "target")}
    command = [Path(sys.executable).parent / "maturin", "build", "--release", "--locked"]
    subprocess.run([*command, "--out", str(out)], cwd=ROOT, env=environment, check=True)
    (wheel,) = out.glob("*.whl")
    return wheel


def merger() -> Path:
    """The compiler's own `llvm-profdata`, which reads what it writes."""
    sysroot = subprocess.run(
        ["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True
    )
    found = sorted(Path(sysroot.stdout.strip()).glob("lib/rustlib/*/bin/llvm-profdata*"))
    if not found:
        sys.exit("llvm-profdata is absent: `rustup component add llvm-tools` installs it")
    return found[0]


def trained(merge: Path) -> Path:
    """The profile of the training set."""
    raw, site = WORK / "raw", WORK / "site"
    wheel = maturin(f"-Cprofile-generate={raw}", WORK / "instrumented")
    shutil.rmtree(raw, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, str(wheel)], check=True)
    study = [sys.executable, "-m", "backwater", "study", "run", *TRAINING]
    options = ["--quick", "--seeds", "1", "--out", str(WORK / "studies")]
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "LLVM_PROFILE_FILE": str(raw / "%m_%p.profraw"),
    }
    # One seed decides no claim: status 1 is no fault here.
    ended = subprocess.run([*study, *options], cwd=WORK, env=environment, check=False)
    if ended.returncode not in (0, 1):
        sys.exit(f"the training ended with status {ended.returncode}")
    profile = WORK / "engine.profdata"
    parts = [str(part) for part in raw.glob("*.profraw")]
    if not parts:
        sys.exit("the training left no profile")
    subprocess.run([merge, "merge", "-o", str(profile), *parts], check=True)
    return profile


def main() -> None:
    """Makes the profile and, unless it alone is wanted, the wheel."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--profile-only", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    profile = trained(merger())
    if arguments.profile_only is not None:
        shutil.copy2(profile, arguments.profile_only)
        return
    wheel = maturin(f"-Cprofile-use={profile}", WORK / "wheel")
    arguments.out.mkdir(parents=True, exist_ok=True)
    print(shutil.copy2(wheel, arguments.out))


if __name__ == "__main__":
    main()
