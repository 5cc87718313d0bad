"""Sources, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Rate, Series, Share, Size, Time, checked


class Source(Part):
    """A source: `Source.uniform_fixed(...)`, or `Source("uniform-fixed", ...)`."""

    TABLE: ClassVar[str] = "sources"

    @staticmethod
    @checked
    def uniform_fixed(
        *,
        burst: Size,
        rate: Rate,
    ) -> Source:
        """Bursts of one size at uniformly distributed intervals.

        Source: Tobagi, Fraleigh, Noureddine: Uniform-Fixed Data Traffic Model.

        * `burst`: size of each burst (size, required, ≥ 1 B, ≤ 1000 MB)
        * `rate`: mean rate (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        """
        return Source("uniform-fixed", burst=burst, rate=rate)

    @staticmethod
    @checked
    def uniform_uniform(
        *,
        burst: Size,
        rate: Rate,
    ) -> Source:
        """Bursts of uniformly distributed size at uniformly distributed intervals.

        Source: Tobagi, Fraleigh, Noureddine: Uniform-Uniform Data Traffic Model.

        * `burst`: half of the largest burst; sizes lie between 64 B and twice this, their
          mean is this plus 32 B (size, required, ≥ 32 B, ≤ 500 MB)
        * `rate`: 8 burst / mean interval; the load is higher by the factor 1 + 32 B / burst
          (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        """
        return Source("uniform-uniform", burst=burst, rate=rate)

    @staticmethod
    @checked
    def self_similar(
        *,
        burst: Size,
        rate: Rate,
        sources: int | None = None,
        alpha_burst: float | None = None,
        alpha_gap: float | None = None,
        gap_law: Literal["pareto", "exponential"] | None = None,
        burst_max: Size | None = None,
    ) -> Source:
        """Superposition of sources with Pareto bursts at Pareto intervals.

        Source: Tobagi, Fraleigh, Noureddine: Self-Similar Data Traffic Model; Taqqu and Levy
        1986.

        * `burst`: mean burst, truncation included (size, required, ≥ 1 B, ≤ 1000 MB)
        * `rate`: mean rate of all sources together (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `sources`: number of superposed sources (whole number, default 100, ≥ 1, ≤ 100000)
        * `alpha_burst`: shape of burst sizes (number, default 1.5, ≥ 0.1, ≤ 100)
        * `alpha_gap`: shape of intervals; at one and below they have no mean (number, default
          1.5, ≥ 1.01, ≤ 100)
        * `gap_law`: law of the intervals; with exponential ones bursts come as a Poisson
          process, and `alpha_gap` has no meaning (default pareto)
        * `burst_max`: no burst is larger (size, default 1 MB, ≥ 2 B, ≤ 1000 MB)
        """
        return Source(
            "self-similar",
            burst=burst,
            rate=rate,
            sources=sources,
            alpha_burst=alpha_burst,
            alpha_gap=alpha_gap,
            gap_law=gap_law,
            burst_max=burst_max,
        )

    @staticmethod
    @checked
    def video(
        *,
        rate: Rate | None = None,
        fps: float | None = None,
        gop: Literal["IBBPBBPBBPBB", "IBBPBBPBBPBBPBB", "IPPPPPPPPPPP", "I"] | None = None,
        i_weight: float | None = None,
        p_weight: float | None = None,
        sigma: float | None = None,
        scene: Time | None = None,
        scene_sigma: float | None = None,
        phase: Literal["start", "random"] | None = None,
    ) -> Source:
        """Synthetic MPEG-1 video: a group of pictures with lognormal frame sizes.

        Source: Tobagi, Fraleigh, Noureddine: Video Traffic Model; Krunz, Sass, Hughes 1995.

        * `rate`: mean rate (rate, default 1.5 Mbit/s, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `fps`: frames per second (number, default 30, ≥ 0.001, ≤ 1000000)
        * `gop`: group of pictures (default IBBPBBPBBPBB)
        * `i_weight`: mean I frame / mean B frame (number, default 5, ≥ 0.01, ≤ 1000)
        * `p_weight`: mean P frame / mean B frame (number, default 2.2, ≥ 0.01, ≤ 1000)
        * `sigma`: standard deviation of ln(size) (number, default 0.3, ≥ 0, ≤ 1)
        * `scene`: mean length of a scene; at least a group of pictures (time, default 10 s, ≥
          0 s, ≤ 1000000 s)
        * `scene_sigma`: standard deviation of ln(size) between scenes; 0 for frames that are
          independent (number, default 0.35, ≥ 0, ≤ 1)
        * `phase`: where in the group of pictures the flow's start falls (default random)
        """
        return Source(
            "video",
            rate=rate,
            fps=fps,
            gop=gop,
            i_weight=i_weight,
            p_weight=p_weight,
            sigma=sigma,
            scene=scene,
            scene_sigma=scene_sigma,
            phase=phase,
        )

    @staticmethod
    @checked
    def video_trace(
        *,
        file: str,
        unit: Literal["B", "bit"] | None = None,
        fps: float | None = None,
        repeat: bool | None = None,
        phase: Literal["start", "random"] | None = None,
    ) -> Source:
        """Video of recorded frame sizes.

        Source: Frame-size traces, one size on each line or the columns frame type time size.

        * `file`: the trace (required)
        * `unit`: unit of the sizes; bits are rounded up to whole bytes (default B)
        * `fps`: frames per second (number, default 30, ≥ 0.001, ≤ 1000000)
        * `repeat`: begin again after the last frame (default true)
        * `phase`: the first frame shown: the trace's first, or a random one (default start)
        """
        return Source("video-trace", file=file, unit=unit, fps=fps, repeat=repeat, phase=phase)

    @staticmethod
    @checked
    def cbr(
        *,
        packet: Size,
        rate: Rate,
        phase: Literal["start", "random"] | None = None,
        jitter: Share | None = None,
    ) -> Source:
        """Packets of one size at constant intervals.

        Source: Constant bit rate.

        * `packet`: size of each IP packet (size, required, ≥ 1 B, ≤ 65535 B)
        * `rate`: rate (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `phase`: first packet at the flow's start, or at a random instant within the first
          interval (so that several flows don't send in lockstep) (default start)
        * `jitter`: greatest lateness of a packet, as a share of the interval; uniform, and
          drawn for each packet (share, default 0 %, ≤ 100 %)
        """
        return Source("cbr", packet=packet, rate=rate, phase=phase, jitter=jitter)

    @staticmethod
    @checked
    def poisson(
        *,
        packet: Size,
        rate: Rate,
    ) -> Source:
        """Packets of one size at exponential intervals.

        Source: Poisson process; the arrivals of M/D/1.

        * `packet`: size of each IP packet (size, required, ≥ 1 B, ≤ 65535 B)
        * `rate`: mean rate (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        """
        return Source("poisson", packet=packet, rate=rate)

    @staticmethod
    @checked
    def batch_poisson(
        *,
        batch: int,
        packet: Size,
        rate: Rate,
    ) -> Source:
        """Batches of equal packets at exponential intervals.

        Source: Batch Poisson process; the arrivals of M[B]/D/1.

        * `batch`: packets of each batch (whole number, required, ≥ 1, ≤ 1000000)
        * `packet`: size of each IP packet (size, required, ≥ 1 B, ≤ 65535 B)
        * `rate`: mean rate (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        """
        return Source("batch-poisson", batch=batch, packet=packet, rate=rate)

    @staticmethod
    @checked
    def exponential_on_off(
        *,
        packet: Size,
        rate: Rate,
        on: Time,
        off: Time,
    ) -> Source:
        """Packets back to back at a peak rate in exponential on periods.

        Source: ns-3 OnOffApplication with exponential OnTime and OffTime.

        * `packet`: size of each IP packet (size, required, ≥ 1 B, ≤ 65535 B)
        * `rate`: peak rate, in on periods (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `on`: mean on period (time, required, ≥ 1 ns)
        * `off`: mean off period (time, required, ≥ 0 s)
        """
        return Source("exponential-on-off", packet=packet, rate=rate, on=on, off=off)

    @staticmethod
    @checked
    def pareto_on_off(
        *,
        packet: Size,
        rate: Rate,
        on: Time,
        off: Time,
        alpha: float | None = None,
    ) -> Source:
        """Packets back to back at a peak rate in Pareto on periods.

        Source: Willinger, Taqqu, Sherman, Wilson 1997.

        * `packet`: size of each IP packet (size, required, ≥ 1 B, ≤ 65535 B)
        * `rate`: peak rate, in on periods (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `on`: mean on period (time, required, ≥ 1 ns)
        * `off`: mean off period (time, required, ≥ 0 s)
        * `alpha`: shape of both periods; at one and below they have no mean (number, default
          1.5, ≥ 1.01, ≤ 100)
        """
        return Source("pareto-on-off", packet=packet, rate=rate, on=on, off=off, alpha=alpha)

    @staticmethod
    @checked
    def periodic_on_off(
        *,
        packet: Size,
        rate: Rate,
        on: Time,
        off: Time,
        first: Literal["on", "off"] | None = None,
        phase: Literal["start", "random"] | None = None,
    ) -> Source:
        """Packets of one size at constant intervals in on periods of fixed length.

        Source: S0 Fig. 3.

        * `packet`: size of each IP packet (size, required, ≥ 1 B, ≤ 65535 B)
        * `rate`: rate in on periods (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `on`: length of an on period (time, required, ≥ 1 ns)
        * `off`: length of an off period (time, required, ≥ 0 s)
        * `first`: what the flow begins with (default on)
        * `phase`: first packet of a period at its beginning, or at a random instant within
          one interval (default start)
        """
        return Source(
            "periodic-on-off", packet=packet, rate=rate, on=on, off=off, first=first, phase=phase
        )

    @staticmethod
    @checked
    def replay(
        *,
        file: str,
        format: Literal["auto", "pcap", "pcapng", "csv"] | None = None,
        scale: float | None = None,
    ) -> Source:
        """Packets at the instants and with the sizes of a capture or CSV trace.

        Source: pcap and pcapng (draft-ietf-opsawg-pcap, -pcapng); CSV with a header such as
        time_s,size_B.

        * `file`: the trace (required)
        * `format`: auto: by the first bytes (default auto)
        * `scale`: times are multiplied by this: 0.5 doubles the load (number, default 1, ≥
          0.000001, ≤ 1000000)
        """
        return Source("replay", file=file, format=format, scale=scale)

    @staticmethod
    @checked
    def packet_list(
        *,
        at_us: Series,
        bytes: Series,
    ) -> Source:
        """Packets at instants that are listed.

        Source: as `replay`, from a list.

        * `at_us`: when each packet comes, in microseconds after the flow's start, in order
          (whole numbers, required)
        * `bytes`: bytes of each packet, or one number for all (whole numbers, required)
        """
        return Source("packet-list", at_us=at_us, bytes=bytes)

    @staticmethod
    @checked
    def outside() -> Source:
        """Packets are injected by the program that drives the world.

        Source: Backwater's outside interface.
        """
        return Source("outside")

    @staticmethod
    @checked
    def bulk(
        *,
        size: Size | None = None,
        within: Time | None = None,
    ) -> Source:
        """One transfer as fast as the transport lets it.

        Source: Greedy source.

        * `size`: bytes to transfer; without end where it is left out (size, ≥ 1 B, ≤
          1000000000 MB)
        * `within`: it begins at a random instant so long after the flow's start at most
          (time, default 0 s, ≥ 0 s)
        """
        return Source("bulk", size=size, within=within)

    @staticmethod
    @checked
    def request_response(
        *,
        requests: Literal["closed", "open"] | None = None,
        gap: Time | None = None,
        gaps: Literal["exponential", "fixed"] | None = None,
        sizes: Literal["fixed", "exponential", "pareto", "file"] | None = None,
        size: Size | None = None,
        alpha: float | None = None,
        file: str | None = None,
    ) -> Source:
        """Transfers of random size, each after the one before or at random instants.

        Source: Closed and open models of request and response.

        * `requests`: a request `gap` after the response before it was acknowledged, or one
          every `gap` (default closed)
        * `gap`: mean think time, or mean time between requests (time, default 0 s, ≥ 0 s)
        * `gaps`: law of the gaps (default exponential)
        * `sizes`: law of the sizes (default fixed)
        * `size`: mean size of a response; a file of sizes has its own (size, ≥ 1 B, ≤ 1000
          MB)
        * `alpha`: exponent of Pareto sizes; 1.5 where it is left out (number, ≥ 1.01, ≤ 100)
        * `file`: sizes in bytes, one on each line
        """
        return Source(
            "request-response",
            requests=requests,
            gap=gap,
            gaps=gaps,
            sizes=sizes,
            size=size,
            alpha=alpha,
            file=file,
        )

    @staticmethod
    @checked
    def workload(
        *,
        rate: Rate,
        sizes: Literal["websearch", "hadoop", "storage", "file"] | None = None,
        file: str | None = None,
    ) -> Source:
        """Transfers at random instants, with sizes of a measured distribution.

        Source: Li et al., SIGCOMM 2019, traffic generator.

        * `rate`: mean rate of the payload (rate, required, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `sizes`: distribution of the sizes: web search (mean 1.71 MB), Hadoop (120 kB),
          storage (40.9 kB), or that of a file (default websearch)
        * `file`: a size in bytes and the percentage of transfers up to that size on each
          line, from 0 % to 100 %
        """
        return Source("workload", rate=rate, sizes=sizes, file=file)

    @staticmethod
    @checked
    def collective(
        *,
        size: Size,
        algorithm: Literal["ring", "recursive-doubling", "rabenseifner", "all-to-all"]
        | None = None,
    ) -> Source:
        """Transfers that wait for one another: all-reduce and all-to-all.

        Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.

        * `size`: what each rank has before it begins (size, required, ≥ 1 B, ≤ 100000 MB)
        * `algorithm`: all-reduce along a ring, between pairs that exchange all, or halves and
          then doubles; or all-to-all between pairs (default ring)
        """
        return Source("collective", size=size, algorithm=algorithm)

    @staticmethod
    @checked
    def saturated(
        *,
        packet: Size | None = None,
    ) -> Source:
        """Always has a packet to send, without a transport.

        Source: Bianchi 2000.

        * `packet`: size of each IP packet (size, default 1500 B, ≥ 1 B, ≤ 2296 B)
        """
        return Source("saturated", packet=packet)
