/** Where nodes are drawn: radios at their places, wired nodes in columns from senders to receivers. */

import type { Scenario } from "./engine";

/** Both coordinates between 0 and 1. */
export type Places = Map<string, [number, number]>;

function neighbours(scenario: Scenario): Map<string, Set<string>> {
  const near = new Map<string, Set<string>>();
  for (const name of Object.keys(scenario.nodes)) near.set(name, new Set());
  for (const link of Object.values(scenario.links)) {
    const [a, b] = link.ends ?? [link.from, link.to];
    if (a === undefined || b === undefined) continue;
    near.get(a)?.add(b);
    near.get(b)?.add(a);
  }
  return near;
}

/** Hops from the nearest of some nodes. */
function distances(near: Map<string, Set<string>>, from: Iterable<string>): Map<string, number> {
  const found = new Map<string, number>();
  let edge = [...from].filter((name) => near.has(name));
  for (const name of edge) found.set(name, 0);
  while (edge.length > 0) {
    const next: string[] = [];
    for (const name of edge) {
      for (const other of near.get(name) ?? []) {
        if (found.has(other)) continue;
        found.set(other, (found.get(name) ?? 0) + 1);
        next.push(other);
      }
    }
    edge = next;
  }
  return found;
}

function natural(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** Columns by distance from the senders; hosts that only receive stand in the last. */
function columns(scenario: Scenario, names: string[]): Places {
  const near = neighbours(scenario);
  const senders = new Set<string>();
  const receivers = new Set<string>();
  for (const flow of Object.values(scenario.flows)) {
    for (const name of flow.from) senders.add(name);
    for (const name of flow.to) receivers.add(name);
  }
  const onlySend = [...senders].filter((name) => !receivers.has(name));
  const start = onlySend.length > 0 ? onlySend : names.slice(0, 1);
  const away = distances(near, start.sort(natural));
  const last = Math.max(1, ...away.values());
  const rows = new Map<number, string[]>();
  for (const name of names) {
    const host = scenario.nodes[name]?.kind === "host";
    const column = host && !senders.has(name) ? last : (away.get(name) ?? 0);
    rows.set(column, [...(rows.get(column) ?? []), name]);
  }
  const places: Places = new Map();
  for (const [column, row] of rows) {
    row.sort(natural);
    row.forEach((name, index) => places.set(name, [column / last, (index + 0.5) / row.length]));
  }
  return places;
}

/** Radios where they are, scaled to fit; wired nodes beside them. */
export function layout(scenario: Scenario): Places {
  const names = Object.keys(scenario.nodes);
  const radios = names.filter((name) => scenario.nodes[name]?.at_m !== undefined);
  const wired = names.filter((name) => scenario.nodes[name]?.at_m === undefined);
  if (radios.length === 0) return columns(scenario, wired);
  const at = radios.map((name) => scenario.nodes[name]!.at_m!);
  const xs = at.map((point) => point[0]);
  const ys = at.map((point) => point[1]);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const share = wired.length > 0 ? 0.55 : 1;
  const places: Places = new Map();
  radios.forEach((name, index) => {
    const point = at[index]!;
    const x = width > 0 ? (point[0] - left) / width : 0.5;
    const y = height > 0 ? (point[1] - top) / height : 0.5;
    places.set(name, [x * share, y]);
  });
  const away = distances(neighbours(scenario), radios);
  const last = Math.max(1, ...wired.map((name) => away.get(name) ?? 1));
  const rows = new Map<number, string[]>();
  for (const name of wired) {
    const column = away.get(name) ?? 1;
    rows.set(column, [...(rows.get(column) ?? []), name]);
  }
  for (const [column, row] of rows) {
    row.sort(natural);
    row.forEach((name, index) => places.set(name, [share + (1 - share) * (column / last), (index + 0.5) / row.length]));
  }
  return places;
}
