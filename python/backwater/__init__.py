"""Backwater: a packet-level laboratory for congestion control."""
