"""`backwater emulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater.cli import real_time

# The words after the boxes belong to them and to the command behind them.
CONTEXT = {"allow_interspersed_args": False, "ignore_unknown_options": True}

LivePage = Annotated[
    bool,
    typer.Option(
        "--live-page",
        help="Serve the viewer to this machine while it runs: capacity, throughput, delay, queues, "
        "and the packets of the last minute.",
    ),
]

LowCpu = Annotated[
    bool | None,
    typer.Option(
        "--low-cpu/--exact",
        help="Sleep whenever nothing is due, or look for packets all the time. Without either "
        "it sleeps where a link of at most 24 Mbit/s lies on each way.",
    ),
]
PcapModel = Annotated[
    Path | None,
    typer.Option(help="Write a pcapng capture of every port, with the headers of the model."),
]


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="BOX... [-- COMMAND...] | scenario FILE --attach NODE=COMMAND...",
            help="delay MS; loss uplink|downlink SHARE; onoff uplink|downlink ON-S OFF-S; "
            "jitter uplink|downlink MS; reorder uplink|downlink SHARE MS; mark uplink|downlink "
            "SHARE; duplicate uplink|downlink SHARE; link UP-TRACE DOWN-TRACE; "
            "rate UP DOWN. The first box is the outermost; raw alone forwards without a model.",
        ),
    ],
    low_cpu: LowCpu = None,
    live: Annotated[bool, typer.Option("--live", help="Show counts while it runs.")] = False,
    no_offload: Annotated[
        bool, typer.Option("--no-offload", help="Take and give no super-packets of TCP and UDP.")
    ] = False,
    late: Annotated[
        float, typer.Option(min=0, help="Seconds by which 1 % of packets may be late.")
    ] = 0.001,
    unmodelled: Annotated[
        float, typer.Option(min=0, max=1, help="Share of packets lost without the model's will.")
    ] = 0.0,
    record: Annotated[
        Path | None, typer.Option(help="Write every event, for `backwater diff`.")
    ] = None,
    pcap: Annotated[
        Path | None,
        typer.Option(help="Write a pcapng capture of the packets that left to programs."),
    ] = None,
    pcap_model: PcapModel = None,
    page: Annotated[
        Path | None,
        typer.Option(help="Write an HTML page: rates, delays and queues over time, validity."),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(help="Take changes of rates and boxes over a socket at this path."),
    ] = None,
    live_page: LivePage = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON document on stdout; the command's output goes to stderr.",
        ),
    ] = False,
) -> int:
    """Run a program behind emulated boxes, or programs at nodes of a scenario, in real time.

    The exit code is the program's; where that is 0, 3 says that a bound of the validity certificate
    does not hold.
    """
    wishes = real_time.Wishes(
        low_cpu=low_cpu,
        live=live,
        no_offload=no_offload,
        late=late,
        unmodelled=unmodelled,
        record=record,
        pcap=pcap,
        pcap_model=pcap_model,
        page=page,
        control=control,
        live_page=live_page,
        json=json,
    )
    return real_time.run(words, wishes)
