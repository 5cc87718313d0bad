/** The records of a run, in the order in which a drawing needs them: packets on their way, and the contents of queues. */

import type { Columns } from "./engine";

/** Numbers of `what` in the engine's columns. */
export const WHAT = { enqueue: 0, send: 1, deliver: 2, drop: 3, notice: 4, knob: 5 } as const;

/** More packets on their way are not kept: the drawing then shows the first part of the run. */
const MOST = 400_000;

/** A packet between two nodes. */
export interface Journey {
  port: number;
  flow: number;
  begins: number;
  ends: number;
}

/** A loss, or a notice that one node sends. */
export interface Flash {
  port: number;
  at: number;
  what: number;
}

/** Bytes that a class queue of a port holds from an instant on. */
interface Level {
  time: number[];
  bytes: number[];
}

/** The flow of frames that no flow sent: 802.3 control frames. */
export const CONTROL = 0xffff_ffff;

export class Records {
  readonly journeys: Journey[] = [];
  readonly flashes: Flash[] = [];
  /** The last instant of which all journeys are kept. */
  complete = 0;
  /** The longest journey in seconds. */
  longest = 0;
  /** Whether the drawing shows the whole run. */
  whole = true;
  private readonly levels = new Map<number, Level>();
  private readonly sent = new Map<string, { port: number; begins: number }>();
  /** For each port the one at the other end of its link; -1 where there is none. */
  private readonly opposite: number[];

  constructor(ports: string[]) {
    const numbers = new Map(ports.map((name, number) => [name, number]));
    this.opposite = ports.map((name) => numbers.get(name.split(">").reverse().join(">")) ?? -1);
  }

  add(columns: Columns): void {
    const rows = columns.time.length;
    if (!this.whole) return;
    for (let row = 0; row < rows; row += 1) {
      if (this.journeys.length >= MOST) {
        this.whole = false;
        this.sent.clear();
        return;
      }
      this.one(columns, row);
    }
    if (rows > 0) this.complete = Math.max(this.complete, columns.time[rows - 1]!);
  }

  private one(columns: Columns, row: number): void {
    const what = columns.what[row]!;
    const at = columns.time[row]!;
    const port = columns.port[row]!;
    const flow = columns.flow[row]!;
    if (flow === CONTROL && what === WHAT.send) this.sent.set(`control/${port}`, { port, begins: at });
    if (what === WHAT.knob) this.obeyed(port, at);
    if (what <= WHAT.drop && flow !== CONTROL) {
      const key = `${flow}/${columns.packet[row]!}`;
      const before = this.sent.get(key);
      if (before !== undefined) {
        this.sent.delete(key);
        this.journeys.push({ port: before.port, flow, begins: before.begins, ends: at });
        this.longest = Math.max(this.longest, at - before.begins);
      }
      if (what === WHAT.send) this.sent.set(key, { port, begins: at });
      if (what === WHAT.enqueue) this.level(port, at, columns.value[row]!);
      if (what === WHAT.send) this.leaves(port, at, columns.frame[row]!);
    }
    if (what === WHAT.drop || what === WHAT.notice) this.flashes.push({ port, at, what });
  }

  /** A notice took effect at a port: the control frame that came from the other end has arrived. */
  private obeyed(port: number, at: number): void {
    const key = `control/${this.opposite[port]}`;
    const before = this.sent.get(key);
    if (before === undefined) return;
    this.sent.delete(key);
    this.journeys.push({ port: before.port, flow: CONTROL, begins: before.begins, ends: at });
    this.longest = Math.max(this.longest, at - before.begins);
  }

  private level(port: number, at: number, bytes: number): void {
    const level = this.levels.get(port) ?? { time: [], bytes: [] };
    this.levels.set(port, level);
    level.time.push(at);
    level.bytes.push(bytes);
  }

  /** A frame of so many bytes leaves the queue. */
  private leaves(port: number, at: number, frame: number): void {
    const level = this.levels.get(port);
    if (level === undefined) return;
    const now = level.bytes[level.bytes.length - 1] ?? 0;
    level.time.push(at);
    level.bytes.push(Math.max(0, now - frame));
  }

  /** Bytes that a port held at an instant. */
  held(port: number, at: number): number {
    const level = this.levels.get(port);
    if (level === undefined) return 0;
    return level.bytes[last(level.time, at)] ?? 0;
  }

  /** The largest level of any port. */
  deepest(): number {
    let most = 0;
    for (const level of this.levels.values()) for (const bytes of level.bytes) most = Math.max(most, bytes);
    return most;
  }

  /** Journeys that are under way at an instant. */
  under(at: number): Journey[] {
    const found: Journey[] = [];
    // Journeys are in the order of their ends.
    let low = 0;
    let high = this.journeys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.journeys[middle]!.ends <= at) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < this.journeys.length; index += 1) {
      const one = this.journeys[index]!;
      if (one.ends > at + this.longest) break;
      if (one.begins <= at) found.push(one);
    }
    return found;
  }
}

/** Losses and notices of the last `span` seconds before an instant. */
export function recent(flashes: Flash[], at: number, span: number): Flash[] {
  let low = 0;
  let high = flashes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (flashes[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  const end = low - 1;
  const found: Flash[] = [];
  for (let index = end; index >= 0 && flashes[index]!.at > at - span; index -= 1) found.push(flashes[index]!);
  return found;
}

/** Index of the last time that is not after `at`; -1 where there is none. */
function last(times: number[], at: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
