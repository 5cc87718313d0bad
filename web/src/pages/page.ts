/** The parts of a page of the gallery. */

import type { Document } from "../engine";
import type { Plot } from "../curves";

/** The values that a control sets: paths of the scenario and their values. */
export type Sets = [string, unknown][];

export interface Slider {
  kind: "slider";
  id: string;
  label: string;
  unit: string;
  values: number[];
  first: number;
  sets: (value: number) => Sets;
}

export interface Choice {
  kind: "choice";
  id: string;
  label: string;
  first: string;
  options: { label: string; sets: Sets }[];
}

export type Control = Slider | Choice;

/** A sentence that a run confirms or not. */
export interface Claim {
  says: string;
  /** The result of the run, in words, and whether that agrees. */
  judge: (document: Document) => { found: string; holds: boolean };
}

export interface Page {
  id: string;
  title: string;
  /** One sentence for the gallery. */
  summary: string;
  /** Paragraphs beside the controls. */
  prose: string[];
  /** TOML. */
  scenario: string;
  /** Interval of the curves. */
  every: string;
  /** Seconds of simulated time that one second of the drawing shows at first. */
  pace: number;
  controls: Control[];
  plots: Plot[];
  claims: Claim[];
}

/** Names a state of a page: its controls in their order, and the seed. */
export function key(page: Page, values: Record<string, string>, seed: number): string {
  return [page.id, ...page.controls.map((control) => values[control.id] ?? ""), seed].join("/");
}

/** Goodput of flows together in Mbit/s. */
export function goodput(document: Document, flow: RegExp): number {
  const rows = document.flows.filter((row) => flow.test(row.id));
  return rows.reduce((sum, row) => sum + Number(row["goodput_bps"] ?? 0), 0) / 1e6;
}

/** Packets that flows lost. */
export function lost(document: Document, flow: RegExp): number {
  const rows = document.flows.filter((row) => flow.test(row.id));
  return rows.reduce((sum, row) => sum + Number(row["dropped_pkts"] ?? 0), 0);
}

/** The largest delay of flows in ms, at 95 % of their packets. */
export function delay(document: Document, flow: RegExp, name = "delay_p95_s"): number {
  const rows = document.flows.filter((row) => flow.test(row.id));
  return Math.max(0, ...rows.map((row) => Number(row[name] ?? 0))) * 1e3;
}

export const GOODPUT: Plot = { title: "Goodput of each flow", unit: "Mbit/s", of: "flows", name: "goodput_bps", factor: 1e-6 };
export const DELAY: Plot = { title: "Mean delay of packets", unit: "ms", of: "flows", name: "delay_mean_s", factor: 1e3 };
export const WINDOW: Plot = { title: "Congestion window", unit: "kB", of: "flows", name: "window_B", factor: 1e-3 };

export function queue(only: RegExp): Plot {
  return { title: "Most bytes in the queue", unit: "kB", of: "ports", name: "queue_max_B", factor: 1e-3, only };
}
