/** Pages about wires: PAUSE, buffers, queue management, two controllers at one queue. */

import { DELAY, GOODPUT, WINDOW, delay, goodput, lost, queue, type Page } from "./page";
import { round } from "../curves";

const HEAD = `schema = "backwater/scenario/1"\n`;

export const pause: Page = {
  id: "pause",
  title: "PAUSE and its victim",
  summary: "A full queue stops its feeders. A flow to an idle destination stands still with them.",
  prose: [
    "Three hosts send through the switch W to D, whose link carries less than they send together. Host A also sends to E, whose link is nearly idle.",
    "Without control the queue toward D overflows. PAUSE stops the whole link from A, so nothing is lost, and the packets to E wait as well: they are its victims. A notice that names destinations stops only the packets to D.",
  ],
  scenario: `${HEAD}duration = "4 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.C = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
nodes.E = { kind = "host" }
links.a = { ends = ["A", "W"], rate = "10 Mbit/s", delay = "5 us" }
links.b = { ends = ["B", "W"], rate = "10 Mbit/s", delay = "5 us" }
links.c = { ends = ["C", "W"], rate = "10 Mbit/s", delay = "5 us" }
links.d = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "5 us" }
links.e = { ends = ["W", "E"], rate = "10 Mbit/s", delay = "5 us" }
ports."W>*" = { buffer = "50 kB" }
mechanisms.bp = { recipe = "none", at = ["W>D"], detect = { high = "80 %", low = "70 %" } }
flows.a = { from = "A", to = "D", source = { kind = "poisson", packet = "1500 B", rate = "4 Mbit/s" } }
flows.b = { from = "B", to = "D", source = { kind = "poisson", packet = "1500 B", rate = "4 Mbit/s" } }
flows.c = { from = "C", to = "D", source = { kind = "poisson", packet = "1500 B", rate = "4 Mbit/s" } }
flows.victim = { from = "A", to = "E", source = { kind = "poisson", packet = "1500 B", rate = "2 Mbit/s" } }
`,
  every: "50 ms",
  pace: 0.05,
  controls: [
    {
      kind: "choice", id: "control", label: "Control at W>D", first: "none",
      options: [
        { label: "none", sets: [["mechanisms.bp.recipe", "none"]] },
        { label: "PAUSE", sets: [["mechanisms.bp.recipe", "pause"]] },
        { label: "by destination", sets: [["mechanisms.bp.recipe", "pause-destination"]] },
      ],
    },
    {
      kind: "slider", id: "load", label: "Each flow to D", unit: "Mbit/s", values: [2, 2.5, 3, 3.5, 4, 5, 6], first: 4,
      sets: (value) => ["a", "b", "c"].map((name) => [`flows.${name}.source.rate`, `${value} Mbit/s`]),
    },
    {
      kind: "slider", id: "buffer", label: "Buffer of each port", unit: "kB", values: [20, 30, 50, 100, 200], first: 50,
      sets: (value) => [[`ports."W>*".buffer`, `${value} kB`]],
    },
  ],
  plots: [GOODPUT, queue(/^W>/), DELAY],
  claims: [
    {
      says: "Nothing is lost.",
      judge: (run) => {
        const packets = lost(run, /./);
        return { found: `${packets} packets lost`, holds: packets === 0 };
      },
    },
    {
      says: "The victim gets the 2 Mbit/s that it sends, within 10 %.",
      judge: (run) => {
        const got = goodput(run, /^victim$/);
        return { found: `${round(got)} Mbit/s`, holds: got > 1.8 };
      },
    },
    {
      says: "Packets of the victim arrive within 20 ms (95 %).",
      judge: (run) => {
        const late = delay(run, /^victim$/);
        return { found: `${round(late)} ms`, holds: late < 20 };
      },
    },
  ],
};

const DUMBBELL = `${HEAD}duration = "20 s"
warmup = "2 s"
topology = { kind = "dumbbell", pairs = 2, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }
ports."L>R" = { queue = { kind = "drop-tail" }, buffer = "33 packets" }
`;

const CONTROLLERS = ["reno", "cubic", "bbr3", "copa", "vegas"];

export const buffers: Page = {
  id: "buffers",
  title: "TCP and buffers",
  summary: "A short buffer leaves the link idle after each loss. A long one makes every packet wait.",
  prose: [
    "Two TCP flows share 10 Mbit/s with a round trip of 40 ms: 50 kB, or 33 packets, are on the way when the queue is empty.",
    "Reno halves its window after a loss. The link stays busy only if the buffer holds what half of the window leaves. CUBIC reduces less, and BBR does not fill the buffer at all.",
  ],
  scenario: `${DUMBBELL}flows.f1 = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "reno" }, source = { kind = "bulk" } }
flows.f2 = { from = "s2", to = "d2", transport = "tcp", controller = { kind = "reno" }, source = { kind = "bulk" } }
`,
  every: "200 ms",
  pace: 0.1,
  controls: [
    {
      kind: "slider", id: "buffer", label: "Buffer", unit: "packets", values: [4, 8, 16, 33, 66, 132, 264, 528], first: 33,
      sets: (value) => [[`ports."L>R".buffer`, `${value} packets`]],
    },
    {
      kind: "choice", id: "controller", label: "Controller", first: "reno",
      options: CONTROLLERS.map((kind) => ({
        label: kind, sets: [["flows.f1.controller", { kind }], ["flows.f2.controller", { kind }]],
      })),
    },
  ],
  plots: [GOODPUT, queue(/^L>R$/), WINDOW],
  claims: [
    {
      says: "The link is busy: both flows together have 9.2 Mbit/s or more.",
      judge: (run) => {
        const got = goodput(run, /^f/);
        return { found: `${round(got)} Mbit/s`, holds: got >= 9.2 };
      },
    },
    {
      says: "95 % of the packets arrive within twice the empty path's 20 ms.",
      judge: (run) => {
        const late = delay(run, /^f/);
        return { found: `${round(late)} ms`, holds: late <= 40 };
      },
    },
  ],
};

export const codel: Page = {
  id: "codel",
  title: "CoDel against drop-tail",
  summary: "A call of 64 kbit/s beside one download: how long do its packets wait?",
  prose: [
    "A download fills the queue in front of 10 Mbit/s. A voice call of 64 kbit/s shares that queue.",
    "Drop-tail lets the queue grow to its end, 300 ms with 250 packets. CoDel drops or marks early when packets have waited for 5 ms. FQ-CoDel gives the call a queue of its own as well.",
  ],
  scenario: `${HEAD}duration = "20 s"
warmup = "2 s"
nodes.S = { kind = "host" }
nodes.C = { kind = "host" }
nodes.L = { kind = "switch" }
nodes.D = { kind = "host" }
links.s = { ends = ["S", "L"], rate = "100 Mbit/s", delay = "1 ms" }
links.c = { ends = ["C", "L"], rate = "100 Mbit/s", delay = "1 ms" }
links.d = { ends = ["L", "D"], rate = "10 Mbit/s", delay = "19 ms" }
ports."L>D" = { queue = { kind = "drop-tail" }, buffer = "250 packets" }
flows.download = { from = "S", to = "D", transport = "tcp", controller = { kind = "cubic" }, source = { kind = "bulk" } }
flows.call = { from = "C", to = "D", source = { kind = "poisson", packet = "200 B", rate = "64 kbit/s" } }
`,
  every: "200 ms",
  pace: 0.1,
  controls: [
    {
      kind: "choice", id: "queue", label: "Queue", first: "drop-tail",
      options: ["drop-tail", "red", "codel", "pie", "fq-codel"].map((kind) => ({
        label: kind, sets: [[`ports."L>D".queue`, { kind }]],
      })),
    },
    {
      kind: "slider", id: "buffer", label: "Buffer", unit: "packets", values: [30, 60, 125, 250, 500, 1000], first: 250,
      sets: (value) => [[`ports."L>D".buffer`, `${value} packets`]],
    },
    {
      kind: "choice", id: "controller", label: "Download", first: "cubic",
      options: ["newreno", "cubic", "bbr3"].map((kind) => ({ label: kind, sets: [["flows.download.controller", { kind }]] })),
    },
  ],
  plots: [DELAY, queue(/^L>D$/), GOODPUT],
  claims: [
    {
      says: "95 % of the call's packets arrive within 40 ms.",
      judge: (run) => {
        const late = delay(run, /^call$/);
        return { found: `${round(late)} ms`, holds: late <= 40 };
      },
    },
    {
      says: "The download has 9 Mbit/s or more.",
      judge: (run) => {
        const got = goodput(run, /^download$/);
        return { found: `${round(got)} Mbit/s`, holds: got >= 9 };
      },
    },
  ],
};

export const rivals: Page = {
  id: "rivals",
  title: "BBR beside CUBIC",
  summary: "Which of the two gets more depends on the buffer that they share.",
  prose: [
    "One BBR flow and one CUBIC flow share 10 Mbit/s with a round trip of 40 ms.",
    "In a short buffer losses halt CUBIC, and BBR goes on at the rate that it measured. In a long buffer CUBIC fills the queue, and BBR's limit on data in flight holds it back.",
  ],
  scenario: `${DUMBBELL}flows.bbr = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "bbr1" }, source = { kind = "bulk" } }
flows.cubic = { from = "s2", to = "d2", transport = "tcp", controller = { kind = "cubic" }, source = { kind = "bulk" } }
`,
  every: "200 ms",
  pace: 0.1,
  controls: [
    {
      kind: "slider", id: "buffer", label: "Buffer", unit: "packets", values: [8, 16, 33, 66, 132, 264, 528], first: 33,
      sets: (value) => [[`ports."L>R".buffer`, `${value} packets`]],
    },
    {
      kind: "choice", id: "version", label: "BBR", first: "bbr1",
      options: ["bbr1", "bbr3"].map((kind) => ({ label: kind, sets: [["flows.bbr.controller", { kind }]] })),
    },
  ],
  plots: [GOODPUT, queue(/^L>R$/), WINDOW],
  claims: [
    {
      says: "BBR gets more than CUBIC.",
      judge: (run) => {
        const [bbr, cubic] = [goodput(run, /^bbr$/), goodput(run, /^cubic$/)];
        return { found: `${round(bbr)} against ${round(cubic)} Mbit/s`, holds: bbr > cubic };
      },
    },
    {
      says: "Neither flow gets less than a quarter of the link.",
      judge: (run) => {
        const least = Math.min(goodput(run, /^bbr$/), goodput(run, /^cubic$/));
        return { found: `the lesser has ${round(least)} Mbit/s`, holds: least >= 2.5 };
      },
    },
  ],
};

export const cell: Page = {
  id: "cell",
  title: "A cellular link and Zekalho",
  summary: "The link's rate changes within a second. Who follows it, and at what delay?",
  prose: [
    "The link delivers packets at instants that a generated trace gives: its rate wanders as a cellular link's does, with outages. Its queue has no limit, as mahimahi's has none by default.",
    "CUBIC fills whatever queue there is. Sprout forecasts the link, and Zekalho reduces its window when the round trip grows.",
  ],
  scenario: `${HEAD}duration = "30 s"
nodes.S = { kind = "host" }
nodes.R = { kind = "host" }
links.down = { from = "S", to = "R", kind = "trace", trace = { kind = "cox" }, emulator = "cellsim-2013", delay = "20 ms", queue = { kind = "infinite" } }
links.up = { from = "R", to = "S", kind = "trace", trace = { kind = "cox" }, emulator = "cellsim-2013", delay = "20 ms", queue = { kind = "infinite" } }
flows.f = { from = "S", to = "R", transport = "datagram", frame = "1514 B", controller = { kind = "zekalho" }, source = { kind = "bulk" } }
`,
  every: "200 ms",
  pace: 0.2,
  controls: [
    {
      kind: "choice", id: "controller", label: "Controller", first: "zekalho",
      options: ["zekalho", "delay-triggered", "cubic", "sprout", "copa", "bbr3"].map((kind) => ({
        label: kind, sets: [["flows.f.controller", { kind }]],
      })),
    },
  ],
  plots: [
    { title: "Capacity and throughput of the link", unit: "Mbit/s", of: "ports", names: { capacity_bps: "capacity of", throughput_bps: "throughput of" }, factor: 1e-6, only: /^S>R$/ },
    GOODPUT, DELAY,
  ],
  claims: [
    {
      says: "95 % of the packets arrive within 150 ms.",
      judge: (run) => {
        const late = delay(run, /^f$/);
        return { found: `${round(late)} ms`, holds: late <= 150 };
      },
    },
  ],
};
