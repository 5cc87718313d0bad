"""Messages of Protocol Buffers as numbered fields, without their definitions."""

from __future__ import annotations

from collections.abc import Iterator


class Damaged(ValueError):
    """The bytes are no message."""


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Damaged(f"a number at byte {at} has no end")


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in order: number and value, unread where it has a length."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise Damaged(f"field {key >> 3} before byte {at} has the unknown type {kind}")
        if at + size > len(data):
            raise Damaged(f"field {key >> 3} at byte {at} goes beyond the end")
        yield key >> 3, data[at : at + size]
        at += size


def messages(data: bytes) -> Iterator[bytes]:
    """Messages, each behind its length."""
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        if at + size > len(data):
            raise Damaged(f"a message at byte {at} goes beyond the end")
        yield data[at : at + size]
        at += size


def numbers(value: int | bytes) -> list[int]:
    """A repeated number: alone, or packed."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found
