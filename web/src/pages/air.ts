/** Pages about radios: hidden stations, back-pressure by AIFSN, an access point with feedback, a mesh that stops its links. */

import { DELAY, GOODPUT, delay, goodput, lost, queue, type Page } from "./page";
import { round } from "../curves";

const HEAD = `schema = "backwater/scenario/1"\n`;

export const hidden: Page = {
  id: "hidden",
  title: "DCF and hidden stations",
  summary: "Two stations that do not hear each other send to a third between them.",
  prose: [
    "A and C send to B. At 100 m they do not hear each other when their carrier sense ends at 110 m, so their frames collide at B and are sent again.",
    "With RTS/CTS both hear B's CTS and keep silent for the whole exchange. Where all hear each other RTS/CTS only costs time.",
  ],
  scenario: `${HEAD}duration = "5 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
media.air.mac = { access = "dcf", rts = "off" }
media.air.channel = { model = "disc", transmit = "110 m", sense = "110 m", interfere = "110 m", capture = "off" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["100 m", "0 m"] }
nodes.C = { kind = "station", medium = "air", at = ["200 m", "0 m"] }
flows.a = { from = "A", to = "B", packet = "1500 B", source = { kind = "poisson", packet = "1500 B", rate = "2 Mbit/s" } }
flows.c = { from = "C", to = "B", packet = "1500 B", source = { kind = "poisson", packet = "1500 B", rate = "2 Mbit/s" } }
`,
  every: "100 ms",
  pace: 0.05,
  controls: [
    {
      kind: "choice", id: "sense", label: "A and C", first: "hidden from each other",
      options: [
        { label: "hidden from each other", sets: [["media.air.channel.sense", "110 m"]] },
        { label: "in range of each other", sets: [["media.air.channel.sense", "220 m"]] },
      ],
    },
    {
      kind: "choice", id: "rts", label: "RTS/CTS", first: "off",
      options: ["off", "on"].map((value) => ({ label: value, sets: [["media.air.mac.rts", value]] })),
    },
    {
      kind: "slider", id: "load", label: "Each flow", unit: "Mbit/s", values: [0.5, 1, 1.5, 2, 2.5, 3, 4], first: 2,
      sets: (value) => ["a", "c"].map((name) => [`flows.${name}.source.rate`, `${value} Mbit/s`]),
    },
  ],
  plots: [GOODPUT, DELAY],
  claims: [
    {
      says: "Nothing is lost.",
      judge: (run) => {
        const packets = lost(run, /./);
        return { found: `${packets} packets lost, ${round(goodput(run, /./))} Mbit/s received`, holds: packets === 0 };
      },
    },
  ],
};

export const aifsn: Page = {
  id: "aifsn",
  title: "AIFSN back-pressure in a chain",
  summary: "Three flows share a chain of relays. The relay that is congested asks those before it to contend less.",
  prose: [
    "A, B and C each send to D over the chain A, B, C, D. Without control the near stations take the medium, and packets from A are lost at the relays after they have used the air twice.",
    "A congested relay asks its upstream stations to wait longer before they send, one step of AIFSN at a time, and holds its own packets back.",
  ],
  scenario: `${HEAD}duration = "20 s"
warmup = "5 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
media.air.mac = { access = "edca", rts = "off", retry_short = 7, retry_long = 7, after_collision = "timeout", ac.BE = { aifsn = 2, cw_min = 31, cw_max = 1023 } }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m", interfere = "190 m", capture = "off" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "100 packets" }
nodes.B = { kind = "station", medium = "air", at = ["100 m", "0 m"], buffer = "100 packets" }
nodes.C = { kind = "station", medium = "air", at = ["200 m", "0 m"], buffer = "100 packets" }
nodes.D = { kind = "station", medium = "air", at = ["300 m", "0 m"], buffer = "100 packets" }
mechanisms.bp = { recipe = "none", at = ["B", "C"], detect = { }, respond = { } }
flows.f1 = { from = "A", to = "D", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "1.5 Mbit/s", phase = "random" } }
flows.f2 = { from = "B", to = "D", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "1.5 Mbit/s", phase = "random" } }
flows.f3 = { from = "C", to = "D", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "1.5 Mbit/s", phase = "random" } }
routes.f1 = ["A", "B", "C", "D"]
routes.f2 = ["B", "C", "D"]
routes.f3 = ["C", "D"]
`,
  every: "250 ms",
  pace: 0.1,
  controls: [
    {
      kind: "choice", id: "control", label: "Control at B and C", first: "none",
      options: [
        { label: "none", sets: [["mechanisms.bp", { recipe: "none", at: ["B", "C"] }]] },
        { label: "AIFSN", sets: [["mechanisms.bp", { recipe: "aifsn", at: ["B", "C"] }]] },
      ],
    },
    {
      kind: "slider", id: "load", label: "Each flow", unit: "Mbit/s", values: [0.5, 0.75, 1, 1.5, 2, 3, 4], first: 1.5,
      sets: (value) => ["f1", "f2", "f3"].map((name) => [`flows.${name}.source.rate`, `${value} Mbit/s`]),
    },
  ],
  plots: [GOODPUT, queue(/>/), DELAY],
  claims: [
    {
      says: "The farthest flow gets at least half of what the nearest gets.",
      judge: (run) => {
        const [far, near] = [goodput(run, /^f1$/), goodput(run, /^f3$/)];
        return { found: `${round(far)} against ${round(near)} Mbit/s`, holds: far > 0 && far >= near / 2 };
      },
    },
  ],
};

const CELL = Array.from({ length: 6 }, (_, index) => {
  const [from, to] = index < 3 ? [`s${index + 1}`, `d${index + 1}`] : [`d${index + 1}`, `s${index + 1}`];
  return `flows.f${index + 1} = { from = "${from}", to = "${to}", packet = "1300 B", transport = "tcp", recovery = "newreno", delayed_ack = "0 s", initial_window = "1 packets", controller = { kind = "newreno" }, source = { kind = "bulk" } }`;
}).join("\n");

export const iacp: Page = {
  id: "iacp",
  title: "iACP at an access point",
  summary: "The access point writes a rate into each packet. Flows up and down then share the cell.",
  prose: [
    "Three flows go up and three come down through one access point of 802.11b. With New Reno the access point's queue overflows: downlink flows lose data, uplink flows only acknowledgements.",
    "With iACP the access point tells each sender a rate, from the room in its queue. Its gain g says how full that queue may be.",
  ],
  scenario: `${HEAD}duration = "20 s"
warmup = "4 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
media.air.mac = { access = "dcf", rts = "on" }
media.air.channel = { model = "disc", transmit = "100 m" }
topology = { kind = "wlan", stations = 6, fixed = 6, medium = "air", wire_rate = "1 Gbit/s", wire_delay = "2 ms" }
ports."AP>air" = { buffer = "50 packets" }
${CELL}
`,
  every: "250 ms",
  pace: 0.1,
  controls: [
    {
      kind: "choice", id: "control", label: "Senders", first: "New Reno",
      options: [
        { label: "New Reno", sets: [["flows.*.controller", { kind: "newreno" }]] },
        {
          label: "iACP, g = 0.5",
          sets: [
            [`ports."AP>air".stamp`, { kind: "iacp", g: 0.5 }], [`ports."AP>R".stamped_by`, ["AP>air"]],
            ["flows.*.controller", { kind: "iacp" }],
          ],
        },
        {
          label: "iACP, g = 0.99",
          sets: [
            [`ports."AP>air".stamp`, { kind: "iacp", g: 0.99 }], [`ports."AP>R".stamped_by`, ["AP>air"]],
            ["flows.*.controller", { kind: "iacp" }],
          ],
        },
      ],
    },
  ],
  plots: [GOODPUT, DELAY],
  claims: [
    {
      says: "Jain's index of the six flows is 0.95 or more.",
      judge: (run) => {
        const jain = Number(run.metrics["jain"] ?? 0);
        return { found: `${round(jain)}, ${round(goodput(run, /./))} Mbit/s together`, holds: jain >= 0.95 };
      },
    },
  ],
};

export const mesh: Page = {
  id: "mesh",
  title: "TCC against LSCC in a mesh",
  summary: "A relay that is full stops all its neighbours, or only the links that fill it.",
  prose: [
    "Two flows cross a chain of four stations in opposite directions. The hop in the middle is slower than those at the ends, so the relays fill up.",
    "TCC stops everything that the neighbours send. LSCC stops only the links that lead into the congested queue.",
  ],
  scenario: `${HEAD}duration = "20 s"
warmup = "4 s"
routing = { kind = "shortest-path" }
media.air.phy = { standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }
media.air.mac = { access = "edca", rts = "on", ac.BE = { aifsn = 3, cw_min = 15, cw_max = 1023, txop = "0 s" } }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], rate = "54 Mbit/s", buffer = "256 kB", own_share = "20 %" }
nodes.B = { kind = "station", medium = "air", at = ["90 m", "0 m"], rate = "24 Mbit/s", buffer = "256 kB", own_share = "20 %" }
nodes.C = { kind = "station", medium = "air", at = ["180 m", "0 m"], rate = "24 Mbit/s", buffer = "256 kB", own_share = "20 %" }
nodes.D = { kind = "station", medium = "air", at = ["270 m", "0 m"], rate = "54 Mbit/s", buffer = "256 kB", own_share = "20 %" }
mechanisms.cc = { recipe = "none", at = ["*"], detect = { }, respond = { } }
flows.f1 = { from = "D", to = "A", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "6 Mbit/s", phase = "random" } }
flows.f2 = { from = "A", to = "D", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "6 Mbit/s", phase = "random" } }
`,
  every: "250 ms",
  pace: 0.05,
  controls: [
    {
      kind: "choice", id: "control", label: "Control", first: "none",
      options: ["none", "tcc", "lscc"].map((recipe) => ({
        label: recipe === "none" ? "none" : recipe.toUpperCase(), sets: [["mechanisms.cc.recipe", recipe]],
      })),
    },
    {
      kind: "slider", id: "load", label: "Each flow", unit: "Mbit/s", values: [1, 2, 3, 4, 6, 8], first: 6,
      sets: (value) => ["f1", "f2"].map((name) => [`flows.${name}.source.rate`, `${value} Mbit/s`]),
    },
  ],
  plots: [GOODPUT, queue(/>/), DELAY],
  claims: [
    {
      says: "Packets are delivered in both directions, at 0.5 Mbit/s or more each.",
      judge: (run) => {
        const [one, two] = [goodput(run, /^f1$/), goodput(run, /^f2$/)];
        return { found: `${round(one)} and ${round(two)} Mbit/s`, holds: Math.min(one, two) >= 0.5 };
      },
    },
    {
      says: "No packet is lost.",
      judge: (run) => {
        const packets = lost(run, /./);
        return { found: `${packets} packets lost in all, ${round(delay(run, /./))} ms at most for 95 %`, holds: packets === 0 };
      },
    },
  ],
};
