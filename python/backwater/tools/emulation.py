"""The needs of `backwater emulate` from the system, for `backwater doctor`."""

from __future__ import annotations

import errno
import os
import socket
import struct
import sys
from pathlib import Path

TUN = Path("/dev/net/tun")
FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
RESOLVERS = Path("/etc/resolv.conf")
# Where systemd-resolved writes the servers that it asks.
BEYOND = Path("/run/systemd/resolve/resolv.conf")
# Netlink: its family of netfilter, the part for nf_tables, and the least of its questions.
NETFILTER, NF_TABLES, GET_GENERATION, NETLINK_ERROR = 12, 10, 16, 2
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


def beyond() -> tuple[bool, str, str]:
    """Whether programs inside reach networks beyond the one outside, and the remedy."""
    if sys.platform != "linux":
        return False, "absent: emulation needs Linux", "use Linux"
    if FORWARDING.read_text().strip() == "0":
        fix = "sudo sysctl -w net.ipv4.ip_forward=1"
        return False, "net.ipv4.ip_forward is 0: programs reach the addresses of this host", fix
    fix = "run a kernel with nf_tables and its masquerading (CONFIG_NFT_MASQ), Linux 5.12 or newer"
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER) as ask:
            # A netlink header, and that of netfilter: which generation of the rules is in force?
            ask.send(struct.pack("=IHHII4x", 20, NF_TABLES << 8 | GET_GENERATION, 1, 1, 0))
            answer = ask.recv(4096)
    except OSError as error:
        return False, f"no nf_tables: {error.strerror}", fix
    kind, code = struct.unpack_from("=4xH10xi", answer)
    if kind == NETLINK_ERROR and code != -errno.EPERM:
        return False, f"no nf_tables: {os.strerror(-code)}", fix
    return True, "net.ipv4.ip_forward is 1, and nf_tables masquerades", ""


def names() -> tuple[bool, str, str]:
    """Whether programs inside find names, and the remedy."""
    fix = f"name a server in {RESOLVERS} that is not on the loopback interface"
    for path in (RESOLVERS, BEYOND):
        words = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        servers = [word[1] for word in words if len(word) > 1 and word[0] == "nameserver"]
        near = [one for one in servers if not one.startswith("127.") and one != "::1"]
        if near:
            return True, f"{near[0]} of {path}", ""
    return False, f"{RESOLVERS} names no server that programs inside can reach", fix


def _mask() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0
