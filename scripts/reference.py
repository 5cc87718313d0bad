"""Writes what docs/reference has of the tables that the engine reads (`make tables`)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal
from backwater.tools import access_point, catalogue, queue_pairs
from backwater.tools.contest_runs import SATURATED

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

PARTS_HEAD = """# Parts

Everything that a scenario or a study can name. Written by `make tables` from the tables that the
engine reads; `backwater explain NAME` prints the same."""

SCENARIO_HEAD = """# The scenario format

A scenario is a TOML file, or the same as JSON. Written by `make tables` from the tables that the
reader uses: what is not here is refused, with the nearest name. `NAME` stands for a name of yours,
by which paths for `--set` and axes, and random streams, find the thing.

A quantity is a text with a number and a unit: a time in `s ms us ns`, a rate in
`bit/s kbit/s Mbit/s Gbit/s`, a size in `B kB MB` (thousands) or `KiB MiB`, or in `packets`, a
length in `m`, a level in `dB` or `dBm`, a share in `%`. Counts, seeds and dimensionless gains are
plain numbers. A part is a table whose `kind` names it; its options are in [parts.md](parts.md)."""

DEFAULTS = f"""## `defaults`

What is equal is written once. Reading writes it out, so paths, results and random streams see each
name, and the run is that of the long text. Twelve flows in two lines:

```toml
defaults.flows = {{ to = "D", transport = "tcp", source = {{ kind = "{SATURATED["kind"]}" }} }}
flows."f{{1..12}}" = {{ from = "h{{1..12}}" }}
```

* **Range.** A row named `"f{{1..12}}"` is twelve rows, in `nodes`, `links`, `media`, `ports`,
  `mechanisms`, `flows` and `routes`. A range in a text of the row takes its number in step, up or
  down, and has as many numbers. `{{01..12}}` keeps the zeros.
* **Pattern.** A row of `flows` named `"f*"` holds for all flows whose names match.
* **Defaults.** `defaults.flows` holds for all flows.

What a flow says itself goes before patterns, of these the one with more letters before the other,
and patterns before defaults: field by field, in nested tables, too. A table that names another
`kind`, such as another source, takes nothing from the one behind it. A pattern that matches nothing
is refused. So are two equally specific ones that set different values. `--set` and axes name flows,
not patterns: `flows.*.source.rate` sets all."""

LEGAL_HEAD = """# What works together

Any detector, notifier and responder can be named together; this says for each medium whether they
work, and if not, why not. Written by `make tables` from what each part says it needs. A mechanism
may watch ports of switches (wire) and 802.11 stations. What a single place must have besides, such
as a buffer with a limit, is checked when a scenario is read.

Over the air a notice is a management frame: PAUSE, priority PAUSE and the extension frames travel
as action frames with the same content."""

ACCESS_POINT_HEAD = """## 802.11, management frame, at an access point that a wire fills

The buffer of such a station is filled by stations and by the node at the other end of its wire. A
notice that can't reach that node is refused where a scenario has a flow over the wire, since it
would stop those who have no part in it. A station that sets its own parameters tells nobody. So
{works} of {all} combinations work:"""

REPAIRS_HEAD = """## Controllers and spreaders over transports

Each controller and each spreader over each repair of losses: a stream, datagrams, and queue pairs
that go back to a lost packet or to the beginning of a message, repair selectively, take any order
(`gaps = "other-ways"`), or send on a receiver's credit (`pull`). A controller hears what its way
tells: marks and notices of queues, records of hops by `stamp`. A run says which flows have no port
on their way that writes their records or sends their notices."""

# A study documents itself.
KINDS = [kind for kind in catalogue.kinds() if kind != catalogue.STUDIES and catalogue.rows(kind)]

# By its first unit.
DIMENSIONS = {"s": "time", "bit/s": "rate", "B": "size", "%": "share", "m": "length"}

Schema = dict[str, Any]


def pages() -> dict[Path, str]:
    """Every page, by the file that it belongs into."""
    return {
        FOLDER / "parts.md": parts(),
        FOLDER / "scenario.md": scenario(),
        FOLDER / "mechanism-legal.md": mechanism_legal() + "\n" + repairs(),
    }


def mechanism_legal() -> str:
    """The page of the combinations that work."""
    rows = json.loads(_native.legal())
    lines = [LEGAL_HEAD]
    for medium, carrier in dict.fromkeys((row["medium"], row["carrier"]) for row in rows):
        here = [row for row in rows if (row["medium"], row["carrier"]) == (medium, carrier)]
        responders = list(dict.fromkeys(row["respond"] for row in here))
        reasons: dict[str, int] = {}
        cells: dict[tuple[str, str], list[str]] = {}
        for row in here:
            cell = "works"
            if row["refused"]:
                said = "`{section}` {reason}".format(**row["refused"])
                cell = f"refused ({reasons.setdefault(said, len(reasons) + 1)})"
            cells.setdefault((row["detect"], row["notify"]), []).append(cell)
        table = [
            "| detect | notify | " + " | ".join(f"`{name}`" for name in responders) + " |",
            "|---" * (len(responders) + 2) + "|",
        ]
        table += [f"| `{d}` | `{n}` | {' | '.join(found)} |" for (d, n), found in cells.items()]
        notes = [f"{number}. {said}." for said, number in reasons.items()]
        lines += [f"## {medium}, {carrier}", "\n".join(table), "Refused because:", "\n".join(notes)]
    return "\n\n".join([*lines, *_at_an_access_point()]) + "\n"


def _at_an_access_point() -> list[str]:
    """The combinations that also work at a station whose buffer is filled over a wire."""
    everywhere = access_point.over_the_air()
    works = [parts for parts in everywhere if access_point.refused(parts, ("P",)) is None]
    listed = "\n".join(f"* `{' · '.join(parts)}`" for parts in works)
    return [ACCESS_POINT_HEAD.format(works=len(works), all=len(everywhere)), listed]


def repairs() -> str:
    """What controllers and spreaders work with which repair of losses."""
    heads = list(queue_pairs.REPAIRS)
    reasons: dict[str, int] = {}
    lines = [REPAIRS_HEAD]
    for kind, names in (
        ("controller", queue_pairs.controllers()),
        ("spreader", queue_pairs.spreaders()),
    ):
        table = [f"| {kind} | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for name in names:
            cells = [_cell(queue_pairs.refused(head, **{kind: name}), reasons) for head in heads]
            table.append(f"| `{name}` | " + " | ".join(cells) + " |")
        lines.append("\n".join(table))
    notes = [f"{number}. {said}." for said, number in reasons.items()]
    return "\n\n".join([*lines, "Refused because:", "\n".join(notes)]) + "\n"


def _cell(refusal: Refusal | None, reasons: dict[str, int]) -> str:
    if refusal is None:
        return "works"
    said = refusal.what.replace("flows.f.", "")
    return f"refused ({reasons.setdefault(said, len(reasons) + 1)})"


def parts() -> str:
    """The page of parts."""
    return "\n\n".join([PARTS_HEAD, *map(_section, KINDS)]) + "\n"


def _section(kind: str) -> str:
    return "\n\n".join([f"## {kind.capitalize()}", *(_entry(row) for row in catalogue.rows(kind))])


def _entry(row: dict[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in (row["id"], *row["aliases"]))
    source = f" ({row['source']})" if row["source"] else ""
    lines = [f"**{names}**: {row['summary']}{source}."]
    if row["options"]:
        lines += ["", "| option | type | default | range | |", "|---|---|---|---|---|"]
        lines += ["| " + " | ".join(_cells(option)) + " |" for option in row["options"]]
    if row.get("modes"):
        lines += ["", *_modes(row["modes"])]
    return "\n".join(lines)


def _modes(modes: list[dict[str, Any]]) -> Iterator[str]:
    """A table of the modes of a standard."""
    guards = list(modes[0]["rates_bps"])
    heads = ["MCS", "width", "bits of a symbol", "answers by"]
    yield "| " + " | ".join([*heads, *(f"Mbit/s, {guard}" for guard in guards)]) + " |"
    yield "|---" * (len(heads) + len(guards)) + "|"
    for mode in modes:
        cells = [str(mode["mcs"]), f"{mode['width_MHz']} MHz", str(mode["bits_per_symbol"])]
        cells.append(f"{mode['reference_bps'] // 1_000_000} Mbit/s")
        cells += [f"{mode['rates_bps'][guard] / 1e6:.1f}" for guard in guards]
        yield "| " + " | ".join(cells) + " |"


def _cells(option: dict[str, Any]) -> Iterator[str]:
    yield f"`{option['name']}`"
    yield option["type"]
    default = option["default_written"]
    yield "required" if option["required"] else "–" if default is None else f"`{default}`"
    bounds = (("≥", option["min_written"]), ("≤", option["max_written"]))
    written = [f"{sign} {bound}" for sign, bound in bounds if bound is not None]
    yield ", ".join(option["values"] or written) or "–"
    yield option["help"].replace("|", "\\|")


def scenario() -> str:
    """The page of the scenario format."""
    root = json.loads(_native.schema())
    lines = [SCENARIO_HEAD, "## Top level", _fields(root)]
    for name, one in root["properties"].items():
        if name == "defaults":
            # Its fields are those of a flow.
            lines.append(DEFAULTS)
            continue
        # Fields that several places share are said once.
        places: dict[str, list[str]] = {}
        for place, table in _tables(name, one):
            known = places.setdefault(table, [])
            known += [place] if place not in known else []
        if places:
            lines += [f"## `{name}`", f"{_sentence(one)}"]
            lines += [f"{', '.join(heads)}\n\n{table}" for table, heads in places.items()]
    return "\n\n".join(lines) + "\n"


def _sentence(schema: Schema) -> str:
    text: str = schema["description"]
    return text[0].upper() + text[1:] + "."


def _tables(path: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """The places at a path and below it, each with its table of fields."""
    if isinstance(inner := schema.get("additionalProperties"), dict):
        yield from _tables(f"{path}.NAME", inner)
    elif not _is_part(schema):
        for one in _variants(schema):
            tag = one["properties"].get("kind", {}).get("const")
            yield f"**`{path}`**" + (f' with `kind = "{tag}"`' if tag else ""), _fields(one)
            for name, field in one["properties"].items():
                yield from _tables(f"{path}.{name}", field)


def _variants(schema: Schema) -> list[Schema]:
    """The tables that may stand here; the last of several forms tells them apart by `kind`."""
    if "properties" in schema:
        return [schema]
    if "anyOf" in schema:
        return _variants(schema["anyOf"][-1])
    return [one for one in schema.get("oneOf", ()) if "properties" in one]


def _is_part(schema: Schema) -> bool:
    return any(
        "enum" in one["properties"].get("kind", {}) and "title" in one for one in _variants(schema)
    )


def _fields(schema: Schema) -> str:
    lines = ["| field | value | default | |", "|---|---|---|---|"]
    needed = [*schema.get("required", ()), *schema.get("x-required", ())]
    for name, field in schema["properties"].items():
        if "const" in field and name == "kind":
            continue
        default = "required" if name in needed else _default(field)
        meaning = field.get("description", "").replace("|", "\\|")
        lines.append(f"| `{name}` | {_value(field)} | {default} | {meaning} |")
    return "\n".join(lines) if len(lines) > 2 else "No fields."


def _default(field: Schema) -> str:
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else "–"


def _value(field: Schema) -> str:
    """The values that may be written, in words."""
    if "const" in field:
        return f'`"{field["const"]}"`'
    if "enum" in field:
        return ", ".join(f"`{word}`" for word in field["enum"])
    if _is_part(field):
        return "a part"
    if "anyOf" in field and not _variants(field):
        return " or ".join(_value(one) for one in field["anyOf"])
    if field.get("type") == "array":
        items = field["items"]
        return "list of parts" if _is_part(items) else "list of texts"
    if field.get("type") == "object" or _variants(field):
        return (
            "tables by name" if isinstance(field.get("additionalProperties"), dict) else "a table"
        )
    if unit := re.search(r" \+\(?([^()$]+)\)?\$$", field.get("pattern", "")):
        first = unit[1].split("|")[0]
        return DIMENSIONS.get(first, f"number of `{first}`")
    if "minimum" in field or "maximum" in field:
        low, high = field.get("minimum"), field.get("maximum")
        bounds = [f"≥ {low}" if low is not None else "", f"≤ {high}" if high is not None else ""]
        return " ".join([str(field["type"]), *filter(None, bounds)])
    return {"string": "text"}.get(field["type"], str(field["type"]))


if __name__ == "__main__":
    for page, content in pages().items():
        page.write_text(content, encoding="utf-8")
        sys.stdout.write(f"{page}\n")
