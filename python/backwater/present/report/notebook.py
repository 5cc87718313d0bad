"""A run as a notebook shows it: flows, drops and ports with small bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from backwater.present.numbers import metric_text, number
from backwater.present.plot import COLOURS

# Longer tables are cut: a notebook is not the place for a thousand ports.
MOST_ROWS = 24
# Colours of the text around it, so that light and dark notebooks both work.
_STYLE = """<style>
.bw-run{font-variant-numeric:tabular-nums;line-height:1.4}
.bw-run table{border-collapse:collapse;margin:.3em 0 .9em;background:none;
color:inherit;font:inherit}
.bw-run th,.bw-run td{padding:.2em .9em .2em 0;border:0;border-bottom:1px solid #8886;
text-align:left;background:none;color:inherit}
.bw-run .n{text-align:right}
.bw-run caption{text-align:left;font-weight:600;padding:.2em 0;color:inherit}
.bw-run .q{opacity:.72}
.bw-run svg{vertical-align:middle;margin-left:.6em}
</style>"""


def run_html(document: Mapping[str, Any]) -> str:
    """The document of `run --json` as an HTML fragment."""
    parts = [_STYLE, '<div class="bw-run">', _head(document)]
    flows, ports = document["flows"], document["ports"]
    # One scale for all flows: a longer bar is a greater goodput.
    most = max((flow["goodput_bps"] for flow in flows), default=0.0)
    parts.append(
        _table(
            "Flows",
            ("flow", "from → to", "class", "offered", "goodput", "delivered", "loss", "mean delay"),
            [
                (
                    flow["id"],
                    f"{flow['from']} → {flow['to']}",
                    str(flow["class"]),
                    metric_text("offered_bps", flow["offered_bps"]),
                    escape(metric_text("goodput_bps", flow["goodput_bps"]))
                    + _bar(flow["goodput_bps"], most, COLOURS[0]),
                    number(flow["delivered_pkts"], 9),
                    escape(metric_text("loss", flow["loss"])) + _bar(flow["loss"], 1.0, COLOURS[1]),
                    metric_text("delay_mean_s", flow["delay_mean_s"]),
                )
                for flow in flows
            ],
            numeric=range(2, 8),
        )
    )
    parts.append(_drops(document["drops"], warm_up=document["warmup_s"] > 0))
    busy = sorted(ports, key=lambda port: -port["busy"])
    parts.append(
        _table(
            "Ports, busiest first",
            ("port", "busy", "sent", "mean queue", "largest queue", "paused", "control frames"),
            [
                (
                    port["id"],
                    escape(metric_text("busy", port["busy"])) + _bar(port["busy"], 1.0, COLOURS[2]),
                    number(port["sent_pkts"], 9),
                    metric_text("queue_mean_B", port["queue_mean_B"]),
                    metric_text("queue_max_B", port["queue_max_B"]),
                    metric_text("paused", max(port["paused"], default=0.0)),
                    number(port["control_pkts"], 9),
                )
                for port in busy
            ],
            numeric=range(1, 7),
        )
    )
    return "".join([*parts, "</div>"])


def _head(document: Mapping[str, Any]) -> str:
    kept = document["conservation"]
    entered = "packets entered, warm-up included" if document["warmup_s"] > 0 else "packets entered"
    facts = [
        f"seed {document['seed']}",
        f"{number(document['duration_s'], 6)} s simulated",
        f"{number(kept['entered_pkts'], 9)} {entered}",
        f"{number(kept['delivered_pkts'], 9)} delivered",
        f"{number(kept['dropped_pkts'], 9)} dropped",
        f"{number(kept['held_pkts'], 9)} held",
        f"fingerprint {document['fingerprint']}",
    ]
    if not kept["ok"]:
        facts.append("✗ packets are not conserved")
    deadlock = document.get("deadlock")
    if deadlock:
        cycle = " → ".join(deadlock["cycle"])
        facts.append(f"✗ pause deadlock at {number(deadlock['at_s'])} s: {cycle}")
    said = "".join(f"<div>⚠ {escape(text)}</div>" for text in document["warnings"])
    name = escape(document["scenario"])
    return f"<div><b>{name}</b> <span class=q>{escape(' · '.join(facts))}</span></div>{said}"


def _drops(drops: Sequence[Mapping[str, Any]], *, warm_up: bool) -> str:
    when = " after the warm-up" if warm_up else ""
    if not drops:
        return f"<div class=q>No packet was dropped{when}.</div>"
    most = max(drop["pkts"] for drop in drops)
    ordered = sorted(drops, key=lambda drop: -drop["pkts"])
    return _table(
        f"Drops{when}",
        ("cause", "place", "flow", "class", "packets", "size"),
        [
            (
                drop["cause"],
                drop["place"],
                drop["flow"],
                str(drop["class"]),
                escape(number(drop["pkts"], 9)) + _bar(drop["pkts"], most, COLOURS[1]),
                metric_text("size_B", drop["size_B"]),
            )
            for drop in ordered
        ],
        numeric=range(3, 6),
    )


def _bar(value: float | None, full: float, colour: str) -> Markup:
    share = min(max((value or 0.0) / full, 0.0), 1.0) if full else 0.0
    return Markup(
        '<svg width="54" height="9" aria-hidden="true">'
        '<rect width="54" height="9" rx="1.5" fill="currentColor" opacity=".13"/>'
        f'<rect width="{54 * share:.1f}" height="9" rx="1.5" fill="{colour}"/></svg>'
    )


def _table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Iterable[int],
) -> str:
    right = set(numeric)

    def cell(tag: str, index: int, text: str) -> str:
        kind = " class=n" if index in right else ""
        return f"<{tag}{kind}>{escape(text)}</{tag}>"

    head = "".join(cell("th", i, text) for i, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(cell("td", i, text) for i, text in enumerate(row)) + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f"<div class=q>and {len(rows) - MOST_ROWS} more</div>" if len(rows) > MOST_ROWS else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{more}"
    )
