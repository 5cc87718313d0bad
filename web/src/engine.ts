/** The engine's WebAssembly exports (crates/web), with JavaScript values in place of addresses. */

/** The request of a run; crates/web/src/lib.rs has the meaning of each field. */
export interface Request {
  text: string;
  form: "toml" | "json";
  name?: string;
  seed?: number | null;
  set?: [string, unknown][];
  files?: Record<string, string>;
  every?: string | null;
  records?: boolean;
}

/** The scenario as the engine resolved it. */
export interface Opened {
  scenario: Scenario;
  seed: number;
  sha256: string;
  duration_s: number;
  ports: string[];
  flows: string[];
}

export interface Scenario {
  nodes: Record<string, { kind: string; at_m?: [number, number] }>;
  links: Record<string, { ends?: [string, string]; from?: string; to?: string; rate_bps?: number; delay_s?: number }>;
  flows: Record<string, { from: string[]; to: string[] }>;
}

/** Events of a slice of a run: one array for each column. */
export interface Columns {
  time: Float64Array;
  what: Uint8Array;
  port: Uint32Array;
  flow: Uint32Array;
  packet: Float64Array;
  value: Float64Array;
  frame: Uint32Array;
}

/** Sums over intervals, as the document of a run has them. */
export interface Series {
  every_s: number;
  flows: Record<string, Record<string, (number | null)[]>>;
  ports: Record<string, Record<string, (number | null)[] | null>>;
}

/** The document of a run; docs/reference/contract.md lists its keys. */
export interface Document {
  fingerprint: string;
  duration_s: number;
  warnings: string[];
  conservation: Record<string, number | boolean>;
  flows: (Record<string, unknown> & { id: string })[];
  ports: (Record<string, unknown> & { id: string })[];
  metrics: Record<string, number | null>;
  series: Series | null;
}

interface Exports {
  memory: WebAssembly.Memory;
  reserve(bytes: number): number;
  open(): number;
  step(events: number): number;
  rows(): number;
  column(index: number): number;
  now_share(): number;
  series(): number;
  finish(): number;
  answer(): number;
  answer_len(): number;
}

/** A scenario that the engine refuses, or a run that it could not finish. */
export class Refused extends Error {}

/** One engine. After a panic of the engine every call throws, and a new instance is needed. */
export class Engine {
  private readonly exports: Exports;

  constructor(instance: WebAssembly.Instance) {
    this.exports = instance.exports as unknown as Exports;
  }

  /** Resolves a scenario and builds its world. Throws `Refused` with the refusal's text. */
  open(request: Request): Opened {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = this.exports.reserve(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
    return this.judged(this.exports.open()) as Opened;
  }

  /** Serves about this many events; true at the end of the run. */
  step(events: number): boolean {
    const code = this.exports.step(events);
    if (code > 1) this.judged(1);
    return code === 1;
  }

  /** Copies of what the last step recorded. */
  columns(): Columns {
    const rows = this.exports.rows();
    const buffer = this.exports.memory.buffer;
    const at = (index: number): number => this.exports.column(index);
    return {
      time: new Float64Array(buffer, at(0), rows).slice(),
      what: new Uint8Array(buffer, at(1), rows).slice(),
      port: new Uint32Array(buffer, at(2), rows).slice(),
      flow: new Uint32Array(buffer, at(3), rows).slice(),
      packet: new Float64Array(buffer, at(4), rows).slice(),
      value: new Float64Array(buffer, at(5), rows).slice(),
      frame: new Uint32Array(buffer, at(6), rows).slice(),
    };
  }

  /** Share of the simulated time that has passed. */
  share(): number {
    return this.exports.now_share() / 65536;
  }

  /** Series up to the present; none where the request asked for none. */
  series(): Series | null {
    return this.exports.series() === 0 ? (JSON.parse(this.text()) as Series) : null;
  }

  /** Ends the run. */
  finish(): Document {
    return this.judged(this.exports.finish()) as Document;
  }

  private judged(code: number): unknown {
    const answer: unknown = JSON.parse(this.text());
    if (code !== 0) throw new Refused((answer as { message: string }).message);
    return answer;
  }

  private text(): string {
    const { memory, answer, answer_len: length } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length()).slice());
  }
}
