/** The playground: a gallery of pages, a scenario of the reader's own, the network drawn, curves and claims. */

import { decode, encode, type Shown } from "./address";
import { first, sets, show, type Values } from "./controls";
import { Curves, round, type Plot } from "./curves";
import { byId, make } from "./elements";
import type { Document, Opened, Request } from "./engine";
import { bytesOf, unlzma } from "./lzma";
import { Drawing } from "./network";
import { PAGES } from "./pages/index";
import { DELAY, GOODPUT, key, queue, type Page } from "./pages/page";
import { Player } from "./player";
import { Records } from "./records";
import { Runner } from "./runner";
import type { FromWorker } from "./worker";

/** An address that is longer than this is cut by some programs. */
const LONGEST_ADDRESS = 4_000;

interface Own {
  text: string;
  form: "toml" | "json";
}

class Playground {
  private page: Page | null = PAGES[0]!;
  private values: Values = first(PAGES[0]!);
  private own: Own = { text: PAGES[0]!.scenario, form: "toml" };
  private seed = 1;
  private plots: Plot[] = [];
  private curves: Curves[] = [];
  private opened: Opened | null = null;
  private records = new Records([]);
  private readonly player = new Player(byId("play"), byId("time"), byId("pace"), byId("clock"));

  constructor(private readonly runner: Runner) {}

  async start(): Promise<void> {
    // On the site's home page stands one figure without what leads to the others.
    document.body.classList.toggle("alone", location.search === "?alone");
    this.gallery();
    byId("seed").addEventListener("change", () => this.reseed());
    byId("apply").addEventListener("click", () => this.apply());
    byId<HTMLTextAreaElement>("text").addEventListener("dragover", (event) => event.preventDefault());
    byId("text").addEventListener("drop", (event) => void this.drop(event));
    window.addEventListener("hashchange", () => void this.fromAddress());
    window.addEventListener("resize", () => this.curves.forEach((curve) => curve.resize()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.turn());
    if (!(await this.fromAddress())) this.turn();
  }

  hear(message: FromWorker): void {
    if (message.kind === "opened") {
      this.opened = message.opened;
      this.records = new Records(message.opened.ports);
      const drawing = new Drawing(byId<HTMLCanvasElement>("network"), message.opened);
      this.player.take(drawing, this.records, message.opened.duration_s);
    } else if (message.kind === "slice") {
      this.records.add(message.columns);
      byId<HTMLProgressElement>("progress").value = message.share;
      if (message.series !== null) this.draw(message.series);
    } else if (message.kind === "done") {
      this.done(message.document, message.milliseconds);
    } else {
      byId("status").textContent = "";
      byId("refusal").textContent = message.message;
      byId("refusal").hidden = false;
    }
  }

  private gallery(): void {
    const list = byId("gallery");
    for (const page of PAGES) {
      const button = make("button", { type: "button", "data-page": page.id }, make("b", {}, page.title), make("span", {}, page.summary));
      button.addEventListener("click", () => {
        this.page = page;
        this.values = first(page);
        this.turn();
      });
      list.append(button);
    }
  }

  /** Shows the page, or the reader's scenario, and runs it. */
  private turn(): void {
    const { page } = this;
    for (const button of document.querySelectorAll<HTMLElement>("#gallery button")) {
      button.toggleAttribute("aria-current", button.dataset["page"] === page?.id);
    }
    byId("title").textContent = page?.title ?? "Your scenario";
    byId("prose").replaceChildren(...(page?.prose ?? []).map((text) => make("p", {}, text)));
    show(byId("controls"), page ?? { ...PAGES[0]!, controls: [] }, this.values, () => this.run());
    if (page !== null) {
      this.own = { text: page.scenario, form: "toml" };
      this.player.pace(page.pace);
    }
    byId<HTMLTextAreaElement>("text").value = this.own.text;
    byId<HTMLInputElement>("seed").value = String(this.seed);
    byId("curves").replaceChildren();
    this.plots = page?.plots ?? [GOODPUT, queue(/>/), DELAY];
    this.curves = this.plots.map((plot) => new Curves(byId("curves"), plot));
    this.run();
  }

  private run(): void {
    byId("refusal").hidden = true;
    byId("status").textContent = "running";
    byId<HTMLProgressElement>("progress").value = 0;
    const request: Request = {
      text: this.own.text, form: this.own.form, seed: this.seed, records: true,
      set: this.page === null ? [] : sets(this.page, this.values), every: this.page?.every ?? null,
    };
    if (request.every === null) request.every = everyOf(this.own);
    this.runner.run(request);
    void this.toAddress();
  }

  private draw(series: NonNullable<Document["series"]>): void {
    this.curves.forEach((curve) => curve.show(series, this.opened?.duration_s ?? 1));
  }

  private done(run: Document, milliseconds: number): void {
    if (run.series !== null) this.draw(run.series);
    byId<HTMLProgressElement>("progress").value = 1;
    byId("status").textContent = `${round(run.duration_s)} s simulated in ${Math.round(milliseconds)} ms`;
    byId("fingerprint").textContent = run.fingerprint;
    byId("native").textContent = this.beside(run.fingerprint);
    byId("warnings").replaceChildren(...run.warnings.map((warning) => make("li", {}, warning)));
    const rows = (this.page?.claims ?? []).map((claim) => {
      const { found, holds } = claim.judge(run);
      const word = holds ? "yes" : "no";
      return make("tr", { class: word }, make("td", {}, together(claim.says)), make("td", {}, together(found)), make("td", {}, word));
    });
    byId("claims").replaceChildren(...rows);
    byId("claims-part").hidden = rows.length === 0;
    byId("partial").hidden = this.records.whole;
    document.body.dataset["done"] = run.fingerprint;
  }

  /** The fingerprint that the compiled program printed for the same scenario and seed, where that is known. */
  private beside(fingerprint: string): string {
    const native = JSON.parse(byId("fingerprints").textContent || "{}") as Record<string, string>;
    const known = this.page === null ? undefined : native[key(this.page, this.values, this.seed)];
    if (known === undefined) return "The command `backwater run` prints the same for this scenario and seed.";
    return known === fingerprint ? "The compiled program has the same." : `The compiled program has ${known}: a defect.`;
  }

  private reseed(): void {
    const written = Number(byId<HTMLInputElement>("seed").value);
    this.seed = Number.isSafeInteger(written) && written >= 0 ? written : 1;
    byId<HTMLInputElement>("seed").value = String(this.seed);
    this.run();
  }

  private apply(): void {
    const text = byId<HTMLTextAreaElement>("text").value;
    this.own = { text, form: text.trimStart().startsWith("{") ? "json" : "toml" };
    this.page = null;
    this.values = {};
    this.turn();
  }

  private async drop(event: DragEvent): Promise<void> {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    byId<HTMLTextAreaElement>("text").value = await file.text();
    this.apply();
  }

  private async toAddress(): Promise<void> {
    const shown: Shown = this.page === null
      ? { ...this.own, seed: this.seed }
      : { page: this.page.id, values: this.values, seed: this.seed };
    const fragment = await encode(shown);
    const long = fragment.length > LONGEST_ADDRESS;
    byId("long").hidden = !long;
    history.replaceState(null, "", long ? location.pathname : `#${fragment}`);
  }

  /** Shows what the address says; false where it says nothing. */
  private async fromAddress(): Promise<boolean> {
    const shown = await decode(location.hash);
    if (shown === null) return false;
    this.seed = Number.isSafeInteger(shown.seed) && shown.seed >= 0 ? shown.seed : 1;
    if ("page" in shown) {
      const page = PAGES.find((candidate) => candidate.id === shown.page);
      if (page === undefined) return false;
      this.page = page;
      this.values = { ...first(page), ...shown.values };
    } else {
      this.page = null;
      this.own = { text: shown.text, form: shown.form === "json" ? "json" : "toml" };
    }
    this.turn();
    return true;
  }
}

/** Keeps a number and its unit on one line. */
const together = (text: string): string => text.replace(/(\d) (?=[%a-zA-Z])/g, "$1\u00a0");

/** A hundred intervals of the duration that a scenario names; 100 ms where none is found. */
function everyOf(own: Own): string {
  const found = /"?duration"?\s*[=:]\s*"([\d.]+)\s*(s|ms|us)"/.exec(own.text);
  if (found === null) return "100 ms";
  const unit = { s: 1, ms: 1e-3, us: 1e-6 }[found[2] as "s" | "ms" | "us"];
  return `${Math.max(1, Math.round((Number(found[1]) * unit * 1e6) / 100))} us`;
}

async function begin(): Promise<void> {
  const packed = byId("engine").textContent ?? "";
  const module = await WebAssembly.compile(unlzma(bytesOf(packed)) as BufferSource);
  const script = byId("worker").textContent ?? "";
  const runner: Runner = new Runner(script, module, (message) => playground.hear(message));
  const playground = new Playground(runner);
  await playground.start();
}

begin().catch((why: unknown) => {
  byId("refusal").textContent = `This page needs a browser with WebAssembly and DecompressionStream. ${String(why)}`;
  byId("refusal").hidden = false;
});
