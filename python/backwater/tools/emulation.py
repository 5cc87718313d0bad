"""What `backwater emulate` needs of the system, for `backwater doctor`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

TUN = Path("/dev/net/tun")
# Numbers of CAP_NET_ADMIN and CAP_SYS_ADMIN.
PRIVILEGES = (12, 21)
# Each of these forbids namespaces of users to ordinary people where it has this value.
FORBIDDING = {
    "kernel.unprivileged_userns_clone": "0",
    "kernel.apparmor_restrict_unprivileged_userns": "1",
    "user.max_user_namespaces": "0",
}


def device() -> tuple[bool, str, str]:
    """Whether devices can be made, what was found, and the remedy."""
    fix = "sudo modprobe tun; sudo chmod 666 /dev/net/tun"
    if sys.platform != "linux":
        return False, f"absent on {sys.platform}: emulation needs Linux", "use Linux"
    try:
        os.close(os.open(TUN, os.O_RDWR))
    except OSError as error:
        return False, f"{TUN}: {error.strerror}", fix
    return True, str(TUN), fix


def namespaces() -> tuple[bool, str, str]:
    """Whether namespaces can be made, with what privileges, and the remedy."""
    if sys.platform != "linux":
        return False, "absent: emulation needs Linux", "use Linux"
    if all(_mask() >> number & 1 for number in PRIVILEGES):
        return True, "privileged: programs inside reach the network outside", ""
    for name, value in FORBIDDING.items():
        path = Path("/proc/sys", *name.split("."))
        if path.exists() and path.read_text().strip() == value:
            allowed = "1" if value == "0" else "0"
            if name == "user.max_user_namespaces":
                allowed = "10000"
            return False, f"{name} is {value}", f"sudo sysctl -w {name}={allowed}"
    return True, "namespaces of users: the network outside is a new one with its loopback alone", ""


def _mask() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0
