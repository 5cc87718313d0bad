/** Runs scenarios beside the page, in slices short enough that a newer request ends an older one at once. */

import { Engine, Refused, type Columns, type Document, type Opened, type Request, type Series } from "./engine";

export type ToWorker = { kind: "module"; module: WebAssembly.Module } | { kind: "run"; id: number; request: Request };

export type FromWorker =
  | { kind: "opened"; id: number; opened: Opened }
  | { kind: "slice"; id: number; columns: Columns; share: number; series: Series | null }
  | { kind: "done"; id: number; document: Document; milliseconds: number }
  | { kind: "refused"; id: number; message: string };

/** Events of one slice: 5 to 15 ms of work. */
const EVENTS = 8_000;
/** Milliseconds between two looks at the series of a run under way. */
const LOOK = 120;

let engine: Engine | null = null;
let module: WebAssembly.Module | null = null;
let newest = 0;

function post(message: FromWorker, transfer: Transferable[] = []): void {
  (self as unknown as { postMessage(m: unknown, t: Transferable[]): void }).postMessage(message, transfer);
}

/** Lets the worker read its messages. */
function pause(): Promise<void> {
  return new Promise((resume) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resume();
    };
    channel.port2.postMessage(null);
  });
}

async function run(id: number, request: Request): Promise<void> {
  const began = performance.now();
  let looked = began;
  engine ??= new Engine(new WebAssembly.Instance(module!, {}));
  post({ kind: "opened", id, opened: engine.open(request) });
  for (let done = false; !done; ) {
    await pause();
    if (id !== newest) return;
    done = engine.step(EVENTS);
    const columns = engine.columns();
    const now = performance.now();
    const look = !done && now - looked > LOOK;
    if (look) looked = now;
    post({ kind: "slice", id, columns, share: engine.share(), series: look ? engine.series() : null }, [
      columns.time.buffer, columns.what.buffer, columns.port.buffer,
      columns.flow.buffer, columns.packet.buffer, columns.value.buffer, columns.frame.buffer,
    ] as ArrayBuffer[]);
  }
  post({ kind: "done", id, document: engine.finish(), milliseconds: performance.now() - began });
}

self.onmessage = (event: MessageEvent<ToWorker>): void => {
  const message = event.data;
  if (message.kind === "module") {
    module = message.module;
    return;
  }
  newest = message.id;
  run(message.id, message.request).catch((why: unknown) => {
    // A panic leaves the instance in no known state: the next run gets a new one.
    if (!(why instanceof Refused)) engine = null;
    const text = why instanceof Error ? why.message : String(why);
    post({ kind: "refused", id: message.id, message: text });
  });
};
