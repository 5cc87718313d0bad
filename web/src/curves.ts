/** Curves over time, by uPlot: one plot for each quantity, one curve for each flow or port. */

import uPlot from "uplot";
import type { Series } from "./engine";
import { colour } from "./network";

/** The content of a plot. */
export interface Plot {
  title: string;
  /** Unit on the axis. */
  unit: string;
  of: "flows" | "ports";
  /** The series' names in documents, and the word that stands before each one's curve; empty where there is one. */
  names: Record<string, string>;
  /** Factor from the document's unit to the plot's. */
  factor: number;
  /** Names to show; all where it is left out. */
  only?: RegExp;
}

/** A curve: its name, its values, and whether it is a ground behind the others. */
type Row = [string, (number | null)[], boolean];

/** What a link could have carried is an area behind what it did carry. */
const GROUND = "capacity_bps";

function values(series: Series, plot: Plot): Row[] {
  const rows = Object.entries(series[plot.of]);
  const found: Row[] = [];
  for (const [name, row] of rows) {
    if (plot.only !== undefined && !plot.only.test(name)) continue;
    for (const [series, word] of Object.entries(plot.names)) {
      const column = row[series];
      if (column === null || column === undefined) continue;
      found.push([word === "" ? name : `${word} ${name}`, column.map((value) => (value === null ? null : value * plot.factor)), series === GROUND]);
    }
  }
  // Ports at which nothing ever waits would hide the others.
  const alive = found.filter(([, row]) => plot.of === "flows" || row.some((value) => (value ?? 0) > 0));
  return alive.slice(0, 16);
}

export class Curves {
  private plot: uPlot | null = null;
  private names = "";
  private readonly table: HTMLElement;
  private readonly frame: HTMLElement;

  constructor(
    home: HTMLElement,
    private readonly what: Plot,
  ) {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = `${what.title} (${what.unit})`;
    this.frame = document.createElement("div");
    this.table = document.createElement("p");
    this.table.className = "means";
    figure.append(caption, this.frame, this.table);
    home.append(figure);
  }

  /** Draws the series of a run of this length; the axis of time shows the whole run from the start. */
  show(series: Series, length: number): void {
    const rows = values(series, this.what);
    const count = Math.max(0, ...rows.map(([, row]) => row.length));
    const times = Array.from({ length: count }, (_, index) => Math.min((index + 1) * series.every_s, length));
    const names = rows.map(([name]) => name).join("/") + `/${length}`;
    const data = [times, ...rows.map(([, row]) => row)] as unknown as uPlot.AlignedData;
    if (this.plot !== null && names === this.names) {
      this.plot.setData(data);
    } else {
      this.plot?.destroy();
      this.frame.replaceChildren();
      this.plot = new uPlot(this.options(rows, length), data, this.frame);
      this.names = names;
    }
    this.table.textContent = means(rows, this.what.unit);
  }

  resize(): void {
    this.plot?.setSize({ width: this.frame.clientWidth, height: 190 });
  }

  private options(rows: Row[], length: number): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const area = style.getPropertyValue("--area").trim();
    let drawn = 0;
    // An interval's value stands at its end.
    const paths = uPlot.paths.stepped!({ align: -1 });
    const text = style.getPropertyValue("--text").trim();
    const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
    return {
      width: this.frame.clientWidth || 400,
      height: 190,
      cursor: { drag: { x: true, y: false } },
      legend: { show: rows.length > 1 && rows.length <= 12, live: false },
      scales: { x: { time: false, range: [0, length] }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
      axes: [
        { stroke: text, grid, label: "time (s)", labelSize: 18, size: 34 },
        { stroke: text, grid, size: 56 },
      ],
      series: [
        {},
        ...rows.map(([label, , ground]) => {
          if (ground) return { label, paths, stroke: area, fill: area, width: 0, points: { show: false } };
          const index = drawn++;
          return { label, stroke: colour(index), width: 1.6, points: { show: false }, dash: index >= 8 ? [5, 3] : [] };
        }),
      ],
    };
  }
}

/** The mean of each curve in words: what a screen reader says in place of the plot. */
function means(rows: Row[], unit: string): string {
  const one = ([name, row]: Row): string => {
    const known = row.filter((value): value is number => value !== null);
    const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
    return `${name} ${known.length > 0 ? round(mean) : "none"}`;
  };
  return rows.length === 0 ? "No values." : `Means: ${rows.map(one).join(", ")} ${unit}.`;
}

/** Three digits. */
export function round(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}
