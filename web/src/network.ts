/** The network on a canvas: nodes, links, what queues hold, packets on their way, losses and notices. */

import type { Opened } from "./engine";
import { layout, type Places } from "./layout";
import { CONTROL, recent, WHAT, type Records } from "./records";

/** Okabe and Ito's colours, which people with colour blindness tell apart; the first has enough contrast on both grounds. */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8c564b", "#7f7f7f"];

export function colour(flow: number): string {
  return COLOURS[flow % COLOURS.length]!;
}

interface Ink {
  text: string;
  line: string;
  node: string;
  queue: string;
  loss: string;
  notice: string;
  ground: string;
}

function ink(): Ink {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: value("--text"), line: value("--line"), node: value("--node"),
    queue: value("--queue"), loss: value("--loss"), notice: value("--notice"), ground: value("--panel"),
  };
}

/** Room for names at the edge, in CSS pixels. */
const MARGIN = { x: 46, y: 30 };
type Side = "above" | "below" | "right" | "left" | "corner";
/** How far from the middle of its node a name stands, and which of its ends is there. */
const AWAY: Record<Side, [number, number, CanvasTextAlign]> = {
  above: [0, -17, "center"], below: [0, 18, "center"], right: [12, 0, "left"], left: [-12, 0, "right"], corner: [7, -17, "left"],
};
/** A picture has no more dots than this. */
const DOTS = 2_000;

export class Drawing {
  private readonly places: Places;
  private readonly ends: ([string, string] | null)[];
  private readonly colours: string[];
  private readonly watched: number[];
  private readonly sides: Map<string, Side>;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly opened: Opened,
  ) {
    const { scenario, ports, flows } = opened;
    this.places = layout(scenario);
    this.ends = ports.map((name) => ends(name, scenario.nodes));
    this.sides = sides(this.places, this.ends);
    const data = flows.filter((name) => !name.endsWith("~ack"));
    this.colours = flows.map((name) => colour(Math.max(0, data.indexOf(name.replace(/~ack$/, "")))));
    this.watched = ports.map((_, index) => index).filter((index) => this.ends[index] !== null);
  }

  /** Draws the instant `at`; returns how many packets are on their way. */
  draw(records: Records, at: number, flash: number): number {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d")!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const colours = ink();
    const point = (name: string): [number, number] => {
      const [x, y] = this.places.get(name) ?? [0.5, 0.5];
      return [MARGIN.x + x * (width - 2 * MARGIN.x), MARGIN.y + y * (height - 2 * MARGIN.y)];
    };
    this.links(pen, point, colours);
    this.queues(pen, point, colours, records, at);
    const dots = this.packets(pen, point, colours, records, at);
    this.flashes(pen, point, colours, records, at, flash);
    this.nodes(pen, point, colours);
    return dots;
  }

  private links(pen: CanvasRenderingContext2D, point: (n: string) => [number, number], colours: Ink): void {
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.beginPath();
    const drawn = new Set<string>();
    for (const pair of this.ends) {
      if (pair === null) continue;
      const key = [...pair].sort().join(">");
      if (drawn.has(key)) continue;
      drawn.add(key);
      const [a, b] = [point(pair[0]), point(pair[1])];
      pen.moveTo(...a);
      pen.lineTo(...b);
    }
    pen.stroke();
  }

  /** A bar beside the beginning of each link. Its length is the square root of the queue: a short queue stays in sight beside a long one. */
  private queues(
    pen: CanvasRenderingContext2D, point: (n: string) => [number, number], colours: Ink, records: Records, at: number,
  ): void {
    const most = Math.max(records.deepest(), 15_000);
    pen.fillStyle = colours.queue;
    for (const port of this.watched) {
      const held = records.held(port, at);
      if (held <= 0) continue;
      const [from, to] = this.ends[port]!;
      const [a, b] = [point(from), point(to)];
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
      const long = Math.max(2, Math.sqrt(held / most) * Math.min(90, length * 0.42));
      pen.save();
      pen.translate(a[0] + ux * 13, a[1] + uy * 13);
      pen.rotate(Math.atan2(uy, ux));
      pen.fillRect(0, 4, long, 7);
      pen.restore();
    }
  }

  private packets(
    pen: CanvasRenderingContext2D, point: (n: string) => [number, number], colours: Ink, records: Records, at: number,
  ): number {
    const under = records.under(at);
    for (const journey of under.slice(0, DOTS)) {
      const pair = this.ends[journey.port];
      if (pair === null || pair === undefined) continue;
      const [a, b] = [point(pair[0]), point(pair[1])];
      const share = (at - journey.begins) / Math.max(journey.ends - journey.begins, 1e-12);
      const control = journey.flow === CONTROL;
      pen.fillStyle = control ? colours.notice : (this.colours[journey.flow] ?? colours.text);
      const [x, y] = [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
      pen.beginPath();
      if (control) pen.rect(x - 3, y - 3, 6, 6);
      else pen.arc(x, y, 3, 0, 7);
      pen.fill();
    }
    return under.length;
  }

  private flashes(
    pen: CanvasRenderingContext2D, point: (n: string) => [number, number], colours: Ink, records: Records,
    at: number, flash: number,
  ): void {
    for (const one of recent(records.flashes, at, flash)) {
      const pair = this.ends[one.port];
      if (pair === null || pair === undefined) continue;
      const [x, y] = point(pair[0]);
      const age = (at - one.at) / flash;
      pen.strokeStyle = one.what === WHAT.drop ? colours.loss : colours.notice;
      pen.globalAlpha = 1 - age;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, y, 10 + 14 * age, 0, 7);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  private nodes(pen: CanvasRenderingContext2D, point: (n: string) => [number, number], colours: Ink): void {
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const many = this.places.size > 30;
    for (const [name] of this.places) {
      const [x, y] = point(name);
      pen.fillStyle = colours.node;
      const kind = this.opened.scenario.nodes[name]?.kind;
      pen.beginPath();
      if (kind === "switch") pen.rect(x - 8, y - 8, 16, 16);
      else pen.arc(x, y, many ? 4 : 7, 0, 7);
      pen.fill();
      if (many) continue;
      pen.fillStyle = colours.text;
      const [across, down, align] = AWAY[this.sides.get(name) ?? "above"];
      pen.textAlign = align;
      // The edge of its ground keeps a name legible over links and queues.
      pen.lineWidth = 3;
      pen.strokeStyle = colours.ground;
      pen.strokeText(name, x + across, y + down);
      pen.fillText(name, x + across, y + down);
    }
  }
}

/** On which side of its node a name stands: where the fewest links leave it, above where several sides are equal, at a corner where links leave on all. */
function sides(places: Places, links: ([string, string] | null)[]): Map<string, Side> {
  const crowd = new Map<string, Record<Side, number>>();
  for (const name of places.keys()) crowd.set(name, { above: 0, below: 0, right: 0, left: 0, corner: 0.5 });
  for (const pair of links) {
    if (pair === null) continue;
    for (const [here, there] of [pair, [pair[1], pair[0]] as const]) {
      const [a, b, taken] = [places.get(here), places.get(there), crowd.get(here)];
      if (a === undefined || b === undefined || taken === undefined) continue;
      // The canvas is about twice as wide as high.
      const [across, down] = [2 * (b[0] - a[0]), b[1] - a[1]];
      if (Math.abs(across) >= Math.abs(down) / 2) taken[across > 0 ? "right" : "left"] += 1;
      if (Math.abs(down) >= Math.abs(across) / 2) taken[down > 0 ? "below" : "above"] += 1;
    }
  }
  // Nodes close above one another leave no room for a name between them.
  const tight = (name: string): boolean => {
    const [x, y] = places.get(name)!;
    return [...places].some(([other, [u, v]]) => other !== name && Math.abs(u - x) < 0.02 && Math.abs(v - y) < 0.2);
  };
  const found = new Map<string, Side>();
  for (const [name, taken] of crowd) {
    const order: Side[] = tight(name) ? ["right", "left", "above", "below", "corner"] : ["above", "below", "right", "left", "corner"];
    found.set(name, order.reduce((best, side) => (taken[side] < taken[best] ? side : best)));
  }
  return found;
}

/** The nodes of a port's name, `A>B`; null for places inside a link, such as delay boxes. */
function ends(port: string, nodes: Record<string, unknown>): [string, string] | null {
  const [from, to] = port.split(">");
  if (from === undefined || to === undefined) return null;
  return from in nodes && to in nodes ? [from, to] : null;
}
