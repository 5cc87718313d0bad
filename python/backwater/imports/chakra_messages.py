"""The messages of Chakra's execution traces, for the library of Protocol Buffers.

From `et_def.proto`, as far as it is read here. Fields have their presence, as a value of 0 in an
attribute is a value.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from typing import Any

from backwater.errors import Refusal

_PACKAGE = "backwater.chakra"
# Name, number, type in `FieldDescriptorProto`, and whether there may be several.
_METADATA = (("version", 1, "STRING", False),)
_VALUES = (
    ("int32_val", 7, "INT32"),
    ("int64_val", 9, "INT64"),
    ("uint32_val", 11, "UINT32"),
    ("uint64_val", 13, "UINT64"),
    ("sint32_val", 15, "SINT32"),
    ("sint64_val", 17, "SINT64"),
    ("fixed32_val", 19, "FIXED32"),
    ("fixed64_val", 21, "FIXED64"),
    ("sfixed32_val", 23, "SFIXED32"),
    ("sfixed64_val", 25, "SFIXED64"),
)
_ATTRIBUTE = (("name", 1, "STRING", False), *((*value, False) for value in _VALUES))
_NODE = (
    ("id", 1, "UINT64", False),
    ("name", 2, "STRING", False),
    ("type", 3, "INT32", False),
    ("ctrl_deps", 4, "UINT64", True),
    ("data_deps", 5, "UINT64", True),
    ("duration_micros", 7, "UINT64", False),
    ("attr", 10, "MESSAGE", True),
)


class Damaged(ValueError):
    """The bytes are no messages."""


def read(data: bytes) -> Iterator[Any]:
    """The nodes of a trace: messages behind their lengths, after one of `GlobalMetadata`."""
    metadata, node = _classes()
    from google.protobuf import message, proto

    stream, kind = io.BytesIO(data), metadata
    while True:
        try:
            found = proto.parse_length_prefixed(kind, stream)
        except (message.DecodeError, ValueError, EOFError) as error:
            raise Damaged(f"a message before byte {stream.tell()} is damaged") from error
        if found is None:
            return
        if kind is node:
            yield found
        kind = node


def whole(attribute: Any) -> int | None:
    """The value of an attribute that is a whole number."""
    present = (name for name, _, _ in _VALUES if attribute.HasField(name))
    name = next(present, None)
    return None if name is None else int(getattr(attribute, name))


@cache
def _classes() -> tuple[Any, Any]:
    """The classes of `GlobalMetadata` and `Node`."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError as error:
        raise Refusal(
            "protobuf, which reads traces of Chakra, is not installed",
            fix="pip install 'backwater[chakra]'",
        ) from error
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="backwater/chakra.proto", package=_PACKAGE, syntax="proto2"
    )
    for name, fields in (("Metadata", _METADATA), ("Attribute", _ATTRIBUTE), ("Node", _NODE)):
        made = file.message_type.add(name=name)
        for field, number, kind, several in fields:
            one = made.field.add(name=field, number=number, type=getattr(kinds, f"TYPE_{kind}"))
            one.label = kinds.LABEL_REPEATED if several else kinds.LABEL_OPTIONAL
            if kind == "MESSAGE":
                one.type_name = f".{_PACKAGE}.Attribute"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    of = {name: pool.FindMessageTypeByName(f"{_PACKAGE}.{name}") for name in ("Metadata", "Node")}
    metadata, node = (message_factory.GetMessageClass(one) for one in of.values())
    return metadata, node
