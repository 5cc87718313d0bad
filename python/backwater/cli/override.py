"""`PATH=VALUE` on the command line."""

from __future__ import annotations

import sys
from datetime import date, datetime, time
from typing import Any

from backwater.errors import Refusal

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_EXAMPLES = {
    "PATH=VALUE": "flows.*.source.rate=3 Mbit/s in quotes",
    "PATH=V1,V2": "flows.*.source.rate=3 Mbit/s,4 Mbit/s in quotes",
    "LINK=FILE": "down=down.log",
    "NAME=VALUE": "beta=0.7",
    "NODE=COMMAND": "'S1=./client D'",
}


def parse(written: str) -> tuple[str, Any]:
    """One override; a value that is not TOML is a text."""
    path, value = split(written, "PATH=VALUE")
    return path, value_of(value)


def axis(written: str) -> tuple[str, list[Any]]:
    """One axis: values separated by commas, or a TOML list."""
    path, listed = split(written, "PATH=V1,V2")
    whole = value_of(listed) if listed.lstrip().startswith("[") else None
    values = whole if isinstance(whole, list) else [value_of(v.strip()) for v in listed.split(",")]
    if not values or "" in values:
        raise Refusal(
            f"`{written}` has an empty value", place="--axis", fix="write PATH=V1,V2 without gaps"
        )
    return path, values


def split(written: str, form: str) -> tuple[str, str]:
    """The two sides of the first equals sign."""
    path, equals, value = written.partition("=")
    if not equals or not path.strip():
        raise Refusal(
            f"`{written}` is not {form}", fix=f"write {form}, for example {_EXAMPLES[form]}"
        )
    return path.strip(), value


def value_of(text: str) -> Any:
    """A TOML value, or the text itself: a quantity needs no second pair of quotes."""
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError as error:
        if text.lstrip()[:1] not in ("{", "["):
            return text
        # A broken table or list is refused here, for the right reason.
        raise Refusal(
            f"`{text}` is not TOML: {error}",
            fix='write a table as { kind = "cbr", rate = "1 Mbit/s" }, a list as ["a", "b"]',
        ) from error
    # Python limits nesting and the digits of integers.
    except (RecursionError, ValueError) as error:
        raise Refusal(
            f"a value is nested too deep, or has too many digits: {error}",
            fix="write less than 100 levels, and integers of 64 bits",
        ) from error
    return text if isinstance(value, (date, datetime, time)) else value
