/** The page's side of the worker: one run at a time, the newest wins. */

import type { Request } from "./engine";
import type { FromWorker, ToWorker } from "./worker";

/** Milliseconds after which a worker that does not answer is ended and made anew. */
const PATIENCE = 50;

export class Runner {
  private worker: Worker;
  private id = 0;
  private busy = false;
  private impatient = 0;

  constructor(
    private readonly script: string,
    private readonly module: WebAssembly.Module,
    private readonly hear: (message: FromWorker) => void,
  ) {
    this.worker = this.start();
  }

  /** Ends the run under way, if there is one, and begins this one. */
  run(request: Request): void {
    this.id += 1;
    window.clearTimeout(this.impatient);
    if (this.busy) {
      // A world that takes long to build reads no message: its worker is replaced.
      const waiting = this.id;
      this.impatient = window.setTimeout(() => {
        if (waiting !== this.id || !this.busy) return;
        this.worker.terminate();
        this.worker = this.start();
        this.post({ kind: "run", id: waiting, request });
      }, PATIENCE);
    }
    this.busy = true;
    this.post({ kind: "run", id: this.id, request });
  }

  private start(): Worker {
    const address = URL.createObjectURL(new Blob([this.script], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = (event: MessageEvent<FromWorker>): void => {
      if (event.data.id !== this.id) return;
      window.clearTimeout(this.impatient);
      if (event.data.kind === "done" || event.data.kind === "refused") this.busy = false;
      this.hear(event.data);
    };
    worker.postMessage({ kind: "module", module: this.module } satisfies ToWorker);
    return worker;
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}
