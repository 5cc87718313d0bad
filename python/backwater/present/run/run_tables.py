"""The tables of one run: what a reader of congestion control looks for first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from backwater.present.numbers import metric_text, number
from backwater.present.run.groups import MOST_ROWS, Group, grouped
from backwater.present.tabular import Table, figures, words

Document = Mapping[str, Any]
_PARTS = {
    "delay_serialisation_s": "serialisation",
    "delay_queue_s": "queue",
    "delay_gate_s": "closed gate",
    "delay_contention_s": "contention",
    "delay_retries_s": "retries",
    "delay_aggregate_s": "aggregate",
    "delay_reorder_s": "reordering",
    "delay_propagation_s": "propagation",
}
# Cells of a curve that is drawn with letters.
_CELLS = 40
_LEVELS = "▁▂▃▄▅▆▇█"


def tables(document: Document, each: bool = False) -> list[Table]:
    """The tables of a run; rows that are alike are one row unless `each` is asked for."""
    labels = document["labels"]
    flows = grouped(document["flows"], lambda row: _kind(row, labels), each)
    ended = [group for group in flows if any(_transport(row, labels) for row in group.rows)]
    found = [_flows(document, flows)]
    if ended:
        found.append(_transports(ended, labels))
    found.append(_delays(flows))
    if document["ports"]:
        found.append(_ports(document, each))
    if document.get("equal_ways"):
        found.append(_equal_ways(document))
    if document["stations"]:
        found.append(_stations(document, each))
    if document["drops"]:
        found.append(_drops(document, each))
    return found


def closing(document: Document) -> list[str]:
    """The lines below the tables."""
    kept, metrics = document["conservation"], document["metrics"]
    lines = []
    if metrics.get("jain") is not None and len(document["flows"]) > 1:
        lines.append(f"Jain's index of goodput: {number(metrics['jain'])}")
    lines.append(
        f"{'warm-up included: ' if document['warmup_s'] else ''}"
        f"{kept['entered_pkts']} packets entered, {kept['delivered_pkts']} delivered, "
        f"{kept['dropped_pkts']} dropped, {kept['held_pkts']} held"
    )
    if document.get("deadlock"):
        lines.append("deadlock: " + " > ".join(document["deadlock"]["cycle"]))
    if skipped := document.get("skipped"):
        lines.append(
            f"skipped: {skipped['events']} events in {len(skipped['stretches'])} stretches "
            "that repeat what was before them"
        )
    lines.append(
        f"seed {document['seed']}, fingerprint {document['fingerprint']}, "
        f"version {document['version']}"
    )
    return lines


def over_time(document: Document) -> Table:
    """Goodput of each flow and the fullest queues over time, a letter for each interval."""
    series = document["series"]
    ports = sorted(series["ports"], key=lambda one: -max(series["ports"][one]["queue_max_B"]))
    curves = [
        (f"goodput of {flow}", "goodput_bps", known["goodput_bps"])
        for flow, known in series["flows"].items()
    ]
    curves += [
        (f"queue of {port}", "queue_max_B", series["ports"][port]["queue_max_B"])
        for port in ports[:2]
    ]
    rows = []
    for name, metric, values in curves:
        top = max((value for value in values if value is not None), default=0.0)
        rows.append((name, _letters(values, top), metric_text(metric, top)))
    title = f"OVER TIME, 0 to {number(document['duration_s'])} s"
    return Table(title, (words(""), words("0 … largest value"), figures("largest")), rows)


def _kind(row: Mapping[str, Any], labels: Mapping[str, str]) -> object:
    return row["class"], _transport(row, labels), _controller(row, labels)


def _transport(row: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    return labels.get(f"flows.{row['id']}.transport", "")


def _controller(row: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    return labels.get(f"flows.{row['id']}.controller", "")


def _flows(document: Document, flows: Sequence[Group]) -> Table:
    every = sum(group.total("goodput_bps") for group in flows)
    rows: list[tuple[str, ...]] = [
        (
            group.label,
            group.spread("goodput_bps"),
            f"{number(100 * group.total('goodput_bps') / every)} %" if every else "–",
            group.spread("loss"),
            group.spread("delay_p50_s"),
            group.spread("delay_p95_s"),
            group.spread("delay_p99_s"),
            group.spread("delay_max_s"),
            group.spread("offered_bps"),
        )
        for group in flows
    ]
    columns = [
        words("flow"),
        figures("goodput"),
        figures("share", 2),
        figures("loss", 1),
        figures("delay p50", 3),
        figures("p95"),
        figures("p99", 4),
        figures("largest", 6),
        figures("offered", 5),
    ]
    if document["metrics"].get("flows_starved"):
        columns.append(figures("last delivery", 7))
        rows = [
            (*row, group.spread("last_delivered_s")) for row, group in zip(rows, flows, strict=True)
        ]
    return Table("FLOWS, delay one way", columns, rows)


def _transports(flows: Sequence[Group], labels: Mapping[str, str]) -> Table:
    finite = any(group.total("transfers") for group in flows)
    columns = [
        words("flow"),
        words("controller", 4),
        figures("RTT p50"),
        figures("p95"),
        figures("retransmitted"),
        figures("marked", 2),
        figures("cwnd", 3),
    ]
    if finite:
        columns += [figures("transfers", 1), figures("FCT p50"), figures("p99")]
    rows = []
    for group in flows:
        row = [
            group.label,
            _controller(group.rows[0], labels) or "–",
            group.spread("rtt_p50_s"),
            group.spread("rtt_p95_s"),
            number(group.total("retransmitted_pkts"), 9),
            number(group.total("marked_pkts"), 9),
            group.spread("window_mean_B"),
        ]
        if finite:
            row += [number(group.total("transfers"), 9)]
            row += [group.spread("fct_p50_s"), group.spread("fct_p99_s")]
        rows.append(row)
    return Table("END TO END", columns, rows)


def _delays(flows: Sequence[Group]) -> Table:
    """The parts of the mean delay that are not zero for every flow."""
    parts = [part for part in _PARTS if any(group.total(part) for group in flows)]
    columns = (
        words("flow"),
        figures("mean"),
        *(figures(_PARTS[part], drop) for drop, part in enumerate(reversed(parts), 1)),
    )
    rows = [
        (
            group.label,
            group.spread("delay_mean_s"),
            *(group.spread(part) for part in reversed(parts)),
        )
        for group in flows
    ]
    return Table("WHERE THE DELAY COMES FROM", columns, rows)


def _ports(document: Document, each: bool) -> Table:
    drops = Counter[str]()
    for drop in document["drops"]:
        drops[drop["place"]] += drop["pkts"]
    ports = [
        {**port, "paused_max": max(port["paused"], default=0.0), "drops_pkts": drops[port["id"]]}
        for port in document["ports"]
    ]
    # Columns of what happened at no port are left out.
    optional = (
        ("marked_pkts", "marked", 2),
        ("paused_max", "paused", 3),
        ("control_pkts", "control frames", 4),
        ("hol_victims_pkts", "held up", 5),
    )
    shown = [one for one in optional if any(port[one[0]] for port in ports)]
    groups = grouped(ports, lambda port: bool(port["drops_pkts"]), each)
    rows = [
        (
            group.label,
            group.spread("busy"),
            group.spread("queue_mean_B"),
            group.spread("queue_max_B"),
            number(group.total("drops_pkts"), 9),
            *(
                group.spread(name) if name == "paused_max" else number(group.total(name), 9)
                for name, _, _ in shown
            ),
        )
        for group in groups
    ]
    columns = (
        words("port"),
        figures("busy"),
        figures("mean queue", 1),
        figures("largest"),
        figures("dropped"),
        *(figures(title, drop) for _, title, drop in shown),
    )
    return Table("PORTS, their queues and drops", columns, rows)


def _equal_ways(document: Document) -> Table:
    """How evenly nodes use ways that are equally short, the least even first."""
    used = [row for row in document["equal_ways"] if row["unevenness"] is not None]
    used.sort(key=lambda row: (-row["unevenness"], row["at"]))
    rows = []
    for row in used[:MOST_ROWS]:
        sent = row["sent_B"]
        most, total = max(sent, key=sent.__getitem__), sum(sent.values())
        shares = "".join(_LEVELS[round(7 * sent[way] / sent[most])] for way in sent)
        least = number(min(sent.values()) / total)
        rows.append(
            (row["at"], shares, number(row["unevenness"]), most, number(sent[most] / total), least)
        )
    columns = (
        words("node"),
        words("bytes by way"),
        figures("greatest ÷ mean"),
        words("greatest"),
        figures("its share"),
        figures("least share", 1),
    )
    left = len(used) - len(rows)
    title = "EQUAL WAYS, how evenly they are used" + (f", and {left} more nodes" if left else "")
    return Table(title, columns, rows)


def _stations(document: Document, each: bool) -> Table:
    groups = grouped(document["stations"], lambda row: None, each)
    rows = [
        (
            group.label,
            group.spread("airtime"),
            number(group.total("attempts"), 9),
            group.spread("collision"),
            number(group.total("retry_drops_pkts"), 9),
            _aifsn(group),
        )
        for group in groups
    ]
    columns = (
        words("station"),
        figures("airtime"),
        figures("attempts"),
        figures("failed"),
        figures("given up"),
        words("mean AIFSN", 1),
    )
    return Table("RADIO", columns, rows)


def _aifsn(group: Group) -> str:
    known = [row["aifsn_mean"] for row in group.rows if row.get("aifsn_mean")]
    if not known:
        return "–"
    return " ".join(number(sum(column) / len(known)) for column in zip(*known, strict=True))


def _drops(document: Document, each: bool) -> Table:
    packets = Counter[tuple[str, str, int]]()
    flows: dict[tuple[str, str, int], set[str]] = {}
    for drop in document["drops"]:
        at = drop["cause"], drop["place"], drop["class"]
        packets[at] += drop["pkts"]
        flows.setdefault(at, set()).add(drop["flow"])
    rows = [
        (
            cause,
            place,
            str(priority),
            number(count, 9),
            ", ".join(sorted(flows[cause, place, priority]))
            if len(flows[cause, place, priority]) <= 3
            else f"{len(flows[cause, place, priority])} flows",
        )
        for (cause, place, priority), count in packets.most_common(None if each else MOST_ROWS)
    ]
    if len(packets) > len(rows):
        rest = sum(packets.values()) - sum(n for _, n in packets.most_common(MOST_ROWS))
        rows.append(("others", f"{len(packets) - len(rows)} places", "", number(rest, 9), ""))
    columns = (
        words("cause"),
        words("place"),
        figures("class", 2),
        figures("packets"),
        words("of flows", 1),
    )
    title = "DROPS AFTER THE WARM-UP" if document["warmup_s"] else "DROPS"
    return Table(title, columns, rows)


def _letters(values: Sequence[float | None], top: float) -> str:
    """A curve of at most `_CELLS` letters; a cell is the mean of its intervals."""
    size = -(-len(values) // _CELLS)
    text = ""
    for start in range(0, len(values), size):
        known = [value for value in values[start : start + size] if value is not None]
        if not known:
            text += " "
            continue
        level = sum(known) / len(known) / top if top else 0.0
        text += _LEVELS[min(int(level * len(_LEVELS)), len(_LEVELS) - 1)]
    return text
