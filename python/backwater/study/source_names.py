"""The documents that studies reproduce, by the short names that the studies use."""

from __future__ import annotations

import re

#: The source that each short name stands for.
NAMES = {
    "S0": "a submission to IEEE 802.11 TGs: back-pressure in a mesh by adjusting AIFSN (SEE-Mesh)",
    "S1": "iACP: explicit feedback of an access point of a wireless LAN to windows of senders",
    "S2": "Tobagi, Fraleigh, Noureddine: Congestion Control in Local Area Networks",
    "S3": "a report of the MIT 6.829 contest: controllers over an emulated cellular link",
    "S4": "MSWiM 2010: TCC and LSCC, congestion control inside an 802.11s mesh of 40 stations",
}


def introduced(*written: str) -> list[str]:
    """A sentence for each short name in some texts: `S2 is …`."""
    found = {name for text in written for name in re.findall(r"\bS[0-4]\b", text)}
    return [f"{name} is {NAMES[name]}." for name in sorted(found)]
