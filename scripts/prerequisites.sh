#!/bin/sh
# Programs that a build needs: Python with venv, Rust, a C linker. Prints the
# Python to use; for each thing that is missing, the command that mends it, and exits 1.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
python_needed=10 # minor version of Python 3
rust_needed=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$root/Cargo.toml" | head -n 1)
release=${OS_RELEASE:-/etc/os-release}
missing=0

system() {
    case "$(uname -s)" in
        Darwin) echo macos ;;
        *)
            case " $(sed -n 's/^ID\(_LIKE\)\{0,1\}="\{0,1\}\([^"]*\)"\{0,1\}$/\2/p' "$release" 2>/dev/null | tr '\n' ' ')" in
                *" debian "* | *" ubuntu "*) echo debian ;;
                *" fedora "* | *" rhel "*) echo fedora ;;
                *) echo other ;;
            esac
            ;;
    esac
}

# lacks WHAT DEBIAN FEDORA MACOS OTHER: the last four are fixes.
lacks() {
    missing=1
    echo "missing: $1" >&2
    case "$(system)" in
        debian) echo "    fix: $2" >&2 ;;
        fedora) echo "    fix: $3" >&2 ;;
        macos) echo "    fix: $4" >&2 ;;
        *) echo "    fix: $5" >&2 ;;
    esac
}

# at_least HAVE NEED: both as MAJOR.MINOR with anything behind.
at_least() {
    have_major=${1%%.*} have_rest=${1#*.}
    need_major=${2%%.*} need_rest=${2#*.}
    [ "$have_major" -gt "$need_major" ] ||
        { [ "$have_major" -eq "$need_major" ] && [ "${have_rest%%.*}" -ge "${need_rest%%.*}" ]; }
}

find_python() {
    recent=
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python3.10}; do
        # Asked for its own path: a shim that stands for another Python need not work elsewhere.
        path=$("$name" -c "import sys; sys.version_info >= (3, $python_needed) and print(sys.executable)" 2>/dev/null)
        [ -n "$path" ] || continue
        recent=$path
        "$path" -c 'import ensurepip, venv' 2>/dev/null && echo "$path" && return
    done
    if [ -n "$recent" ]; then
        lacks "the venv module of $recent" \
            "sudo apt-get install -y python3-venv" \
            "sudo dnf install -y python3-libs" \
            "brew install python" \
            "install the venv and ensurepip modules of $recent"
    else
        lacks "Python 3.$python_needed or newer${PYTHON:+ (PYTHON is $PYTHON)}" \
            "sudo apt-get install -y python3 python3-venv" \
            "sudo dnf install -y python3" \
            "brew install python" \
            "install Python 3.$python_needed or newer from https://www.python.org/downloads/"
    fi
}

check_rust() {
    if command -v cargo >/dev/null 2>&1 && version=$(rustc --version 2>/dev/null); then
        version=${version#rustc }
        at_least "$version" "$rust_needed" && return
        have=" (found ${version%% *})"
    else
        have=
    fi
    if command -v rustup >/dev/null 2>&1; then
        fix="rustup update stable && rustup default stable"
    else
        fix="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y"
    fi
    lacks "Rust $rust_needed or newer$have" "$fix" "$fix" "$fix" "$fix"
}

check_linker() {
    command -v cc >/dev/null 2>&1 && return
    lacks "a C compiler, which Rust links with" \
        "sudo apt-get install -y build-essential" \
        "sudo dnf install -y gcc" \
        "xcode-select --install" \
        "install a C compiler that answers to the name cc"
}

find_python
check_rust
check_linker
[ "$missing" -eq 0 ] || { echo "then run the same command again" >&2; exit 1; }
