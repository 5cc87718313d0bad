(() => {
  "use strict";
  const LABEL = 96, LANE = 46, MANY = 4000, LANES = 16, FEW = 50000, GROUP = 64;
  const $ = (id) => document.getElementById(id);
  const make = (tag, text, of = {}) => Object.assign(document.createElement(tag), { textContent: text, ...of });
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#C56B9C", "#B07800", "#3A94CC", "#7F6A3B", "#808080"];
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const PALETTE = COLOURS.map(rgb), RED = rgb("#D52B1E"), GREY = [128, 132, 138];
  const runs = [];
  let t0 = 0, t1 = 1, chosen = null, differs = -1, waiting = 0;
  window.viewer = { runs, times: [], span: () => [t0, t1], zoom, select, feed };

  const UNITS = [["s", 1e12], ["ms", 1e9], ["µs", 1e6], ["ns", 1e3], ["ps", 1]];
  function time(ps, digits = 4) {
    const [name, size] = UNITS.find(([, one]) => Math.abs(ps) >= one) || UNITS[4];
    return `${Number((ps / size).toPrecision(digits))} ${name}`;
  }
  const seconds = (ps) => `${(ps / 1e12).toFixed(9)} s`;

  // ---- drawing into pixels
  function sheet(canvas) {
    const ratio = Math.min(2, window.devicePixelRatio || 1), width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.image = null;
    }
    const pen = canvas.getContext("2d");
    canvas.image ??= pen.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(canvas.image.data.buffer);
    pixels.fill(0);
    return { pen, pixels, image: canvas.image, wide: canvas.width, high: canvas.height, ratio, left: Math.round(LABEL * ratio) };
  }
  const ink = ([r, g, b], alpha = 255) => ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
  function box(on, x, y, x2, y2, colour) {
    const a = Math.max(on.left, Math.floor(x)), b = Math.min(on.wide, Math.max(Math.floor(x) + 1, Math.ceil(x2)));
    const top = Math.max(0, Math.floor(y)), bottom = Math.min(on.high, Math.ceil(y2));
    if (b <= a) return;
    // A call for each pixel of a thin line would take most of the time.
    if (b - a < 4) for (let line = top; line < bottom; line += 1) for (let x = a; x < b; x += 1) on.pixels[line * on.wide + x] = colour;
    else for (let line = top; line < bottom; line += 1) on.pixels.fill(colour, line * on.wide + a, line * on.wide + b);
  }
  const across = (on, ps) => on.left + ((ps - t0) / (t1 - t0)) * (on.wide - on.left);
  function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name); }
  function words(on, text, x, y, colour = "--ink", align = "left", size = 12) {
    on.pen.font = `${size * on.ratio}px system-ui, sans-serif`;
    on.pen.fillStyle = style(colour);
    on.pen.textAlign = align;
    on.pen.textBaseline = "middle";
    on.pen.fillText(text, x, y);
  }
  function settle(on) { on.pen.putImageData(on.image, 0, 0); }

  // ---- lanes
  function lanesOf(run) {
    const busy = run.places.map((name, place) => place).filter((place) => run.busy[place] > 0);
    busy.sort((a, b) => run.busy[b] - run.busy[a]);
    const kept = $("every").checked ? busy.slice(0, 200) : busy.slice(0, LANES);
    return kept.sort((a, b) => run.places[a].localeCompare(run.places[b], "en", { numeric: true }));
  }
  function drawLanes(run) {
    const lanes = run.lanes, canvas = run.canvas;
    canvas.style.height = `${lanes.length * LANE + 4}px`;
    const on = sheet(canvas), step = LANE * on.ratio;
    lanes.forEach((place, number) => {
      const top = number * step, sends = run.sends[place];
      const low = Record.from(run, sends, t0 - run.wire), high = Record.from(run, sends, t1 + run.wait);
      const held = run.held[place].subarray(0, Record.from(run, run.held[place], t1));
      if (high - low + held.length > MANY && run.levels[place]) crowd(on, run, place, top, step);
      else bars(on, run, sends, low, high, held, top, step);
      events(on, run, place, top, step);
    });
    if (chosen && chosen.run === run) mine(on, run, lanes, step);
    settle(on);
    let node = "";
    lanes.forEach((place, number) => {
      const name = run.places[place], [from, to] = name.split(">"), middle = (number + 0.5) * step;
      on.pen.fillStyle = style(from === node ? "--grid" : "--wire");
      on.pen.fillRect(0, number * step, on.wide, 1);
      if (from !== node) words(on, from, 4 * on.ratio, middle - 8 * on.ratio, "--ink", "left", 13);
      words(on, to === undefined ? "" : `→ ${to}`, 12 * on.ratio, middle + 8 * on.ratio, "--ink-2");
      node = from;
    });
    marker(on);
  }
  // Each packet has a line of its own: pale while it waits, full while it is on its way.
  function bars(on, run, sends, low, high, held, top, step) {
    const { at, before, after, flow } = run, lines = Math.floor((step - 8 * on.ratio) / (3 * on.ratio)), thick = 2 * on.ratio;
    const inks = PALETTE.map((colour) => [ink(colour, 105), ink(colour)]), grey = [ink(GREY, 105), ink(GREY)];
    for (let number = low; number < high; number += 1) {
      const row = sends[number], y = top + 6 * on.ratio + (number % lines) * 3 * on.ratio;
      const [pale, full] = flow[row] === 0 ? grey : inks[flow[row] % 8];
      const leaves = across(on, at[row]);
      if (before[row] >= 0) box(on, across(on, at[before[row]]), y, leaves, y + thick, pale);
      box(on, leaves, y, after[row] >= 0 ? across(on, at[after[row]]) : leaves + 2, y + thick, full);
    }
    held.forEach((row, number) => {
      const y = top + 6 * on.ratio + ((sends.length + number) % lines) * 3 * on.ratio;
      box(on, across(on, at[row]), y, across(on, run.end), y + thick, (flow[row] === 0 ? grey : inks[flow[row] % 8])[0]);
    });
  }
  // Too many for lines: how many packets wait, as a height.
  function crowd(on, run, place, top, step) {
    const levels = run.levels[place], per = ((t1 - t0) / (run.end - run.begin || 1)) * run.bins / (on.wide - on.left);
    const level = Math.max(0, Math.min(levels.length - 1, Math.ceil(Math.log2(Math.max(1, per)))));
    const depth = levels[level], scale = depth.length / (run.end - run.begin || 1);
    const most = levels.at(-1).reduce((one, other) => Math.max(one, other), 1), room = step - 8 * on.ratio, blue = ink(PALETTE[0]);
    for (let x = on.left; x < on.wide; x += 1) {
      const ps = t0 + ((x - on.left) / (on.wide - on.left)) * (t1 - t0);
      const held = depth[Math.floor((ps - run.begin) * scale)] || 0;
      if (held > 0) box(on, x, top + step - 2 - (held / most) * room, x + 1, top + step - 2, blue);
    }
  }
  function events(on, run, place, top, step) {
    run.gates[place] ??= Record.shut(run, place);
    for (const [begin, end] of run.gates[place]) if (end >= t0 && begin <= t1) box(on, across(on, begin), top + 2, across(on, end), top + 5 * on.ratio, ink(RED, 200));
    const colour = { [run.DROP]: ink(RED), [run.NOTICE]: ink(PALETTE[4]), [run.MARK]: ink(PALETTE[3]) };
    const some = run.flashes[place], last = Record.from(run, some, t1);
    let before = -9;
    for (let number = Record.from(run, some, t0); number < last; number += 1) {
      const row = some[number], x = Math.floor(across(on, run.at[row]));
      if (x === before) continue;
      before = x;
      box(on, x, run.what[row] === run.DROP ? top + step * 0.35 : top + step * 0.6, x + 1, top + step - 1, colour[run.what[row]]);
    }
  }
  function mine(on, run, lanes, step) {
    for (const row of chosen.rows) {
      const lane = lanes.indexOf(run.place[row]);
      if (lane < 0) continue;
      const end = run.after[row] >= 0 ? across(on, run.at[run.after[row]]) : across(on, run.at[row]) + 3;
      box(on, across(on, run.at[row]), (lane + 1) * step - 6 * on.ratio, end, (lane + 1) * step - 1, ink([20, 160, 90]));
    }
  }
  function marker(on) {
    if (differs < 0) return;
    const x = across(on, differs);
    if (x < on.left || x > on.wide) return;
    on.pen.fillStyle = "#D52B1E";
    on.pen.fillRect(x - 1, 0, 2, on.high);
  }

  // ---- curves over the same time
  function curve(canvas, title, unit, series) {
    const on = sheet(canvas);
    const shown = series.map(([run, rows, of, colour]) => ({ colour, ...extremes(on, run, rows, of) }));
    const most = Math.max(0, ...shown.map((one) => one.most));
    const height = (value) => on.high - 4 - (value / (most || 1)) * (on.high - 22 * on.ratio);
    for (const { low, high, last, colour } of shown) {
      const paint = ink(colour);
      let level = NaN;
      for (let x = on.left; x < on.wide; x += 1) {
        const at = x - on.left;
        if (high[at] >= 0) {
          const join = Number.isNaN(level) ? low[at] : Math.min(low[at], level);
          box(on, x, height(Math.max(high[at], Number.isNaN(level) ? 0 : level)), x + on.ratio, height(join) + on.ratio, paint);
          level = last[at];
        } else if (!Number.isNaN(level)) box(on, x, height(level), x + 1, height(level) + on.ratio, paint);
      }
    }
    settle(on);
    words(on, title, 4 * on.ratio, 10 * on.ratio, "--ink");
    if (most > 0) words(on, unit(most), LABEL * on.ratio - 6, 22 * on.ratio, "--ink-2", "right", 11);
    words(on, "0", LABEL * on.ratio - 6, on.high - 7 * on.ratio, "--ink-2", "right", 11);
    marker(on);
  }
  const kept = new WeakMap();
  // Times and values of the extremes of each group of rows, beside each other: those of a whole run lie far apart in memory.
  function peaks(run, rows, of) {
    let found = kept.get(rows);
    if (found) return found;
    const chosen = [];
    for (let n = 0; n < rows.length; n += GROUP) {
      let low = n, high = n;
      for (let m = n; m < Math.min(n + GROUP, rows.length); m += 1) {
        if (of[rows[m]] < of[rows[low]]) low = m;
        if (of[rows[m]] > of[rows[high]]) high = m;
      }
      chosen.push(rows[Math.min(low, high)]);
      if (low !== high) chosen.push(rows[Math.max(low, high)]);
    }
    found = { rows: Int32Array.from(chosen), at: Float64Array.from(chosen, (row) => run.at[row]), value: Float64Array.from(chosen, (row) => of[row]) };
    kept.set(rows, found);
    return found;
  }
  // Every so many rows of a flow, beside each other for the same reason; none where a run has few.
  function thinned(run, rows) {
    if (rows.length <= FEW) return null;
    if (!kept.has(rows)) {
      const chosen = Int32Array.from({ length: FEW }, (_, n) => rows[Math.floor((n * rows.length) / FEW)]);
      const of = (column, Kind) => Kind.from(chosen, (row) => column[row]);
      kept.set(rows, { rows: chosen, at: of(run.at, Float64Array), seq: of(run.seq, Float64Array), what: of(run.what, Uint8Array) });
    }
    return kept.get(rows);
  }
  // The least, greatest and last value in each column of pixels.
  function extremes(on, run, rows, of) {
    const wide = on.wide - on.left, low = new Float64Array(wide), high = new Float64Array(wide).fill(-1), last = new Float64Array(wide);
    const first = Math.max(0, Record.from(run, rows, t0) - 1), end = Record.from(run, rows, t1), scale = wide / (t1 - t0);
    let most = 0;
    const note = (time, value) => {
      const at = Math.max(0, Math.min(wide - 1, Math.floor((time - t0) * scale)));
      if (high[at] < 0 || value < low[at]) low[at] = value;
      if (value > high[at]) high[at] = value;
      if (value > most) most = value;
      last[at] = value;
    };
    if (end - first > FEW) {
      // Of very many only the extremes of each group of rows.
      const groups = peaks(run, rows, of), stop = Record.from(run, groups.rows, t1);
      for (let n = Record.from(run, groups.rows, t0); n < stop; n += 1) note(groups.at[n], groups.value[n]);
    } else for (let n = first; n < end; n += 1) note(run.at[rows[n]], of[rows[n]]);
    return { low, high, last, most };
  }
  const bytes = (value) => (value >= 1e6 ? `${(value / 1e6).toPrecision(3)} MB` : value >= 1e3 ? `${(value / 1e3).toPrecision(3)} kB` : `${value} B`);
  function drawQueue() {
    curve($("queue"), "Queue", bytes, runs.map((run, n) => [run, run.queueRows, run.value, PALETTE[n]]));
  }
  function drawWindow() {
    curve($("window"), "Window", bytes, runs.map((run, n) => [run, run.windowRows, run.value, PALETTE[n]]));
  }
  // The bits that the chosen port sent, over those that it could have sent.
  function drawRate() {
    const on = sheet($("rate"));
    const shown = runs.map((run, n) => {
      const place = run.places.indexOf($("port").value);
      return { steps: place < 0 ? [] : Rates.ofPort(run, place, t0, t1), colour: ink(PALETTE[n]) };
    });
    const all = shown.flatMap(({ steps }) => steps), sent = Math.max(0, ...all.map((one) => one.sent));
    // A link that is nearly idle would be a line on the ground below its capacity.
    const could = Math.max(0, ...all.map((one) => one.could ?? 0)), most = could > 20 * sent && sent > 0 ? sent * 1.5 : Math.max(sent, could);
    const height = (value) => on.high - 4 - (Math.min(value, most) / (most || 1)) * (on.high - 22 * on.ratio);
    for (const { from, to, could } of shown[0]?.steps ?? []) if (could !== null) box(on, across(on, from), height(could), across(on, to), on.high - 4, ink(GREY, 70));
    for (const { steps, colour } of shown) {
      let before = null;
      for (const { from, to, sent } of steps) {
        const x = across(on, from), y = height(sent);
        if (before !== null) box(on, x, Math.min(y, before), x + on.ratio, Math.max(y, before) + 2 * on.ratio, colour);
        box(on, x, y, across(on, to), y + 2 * on.ratio, colour);
        before = y;
      }
    }
    settle(on);
    words(on, "Throughput", 4 * on.ratio, 10 * on.ratio, "--ink");
    words(on, bitrate(most), LABEL * on.ratio - 6, 24 * on.ratio, "--ink-2", "right", 11);
    words(on, "0", LABEL * on.ratio - 6, on.high - 7 * on.ratio, "--ink-2", "right", 11);
    marker(on);
    const last = shown[0]?.steps.at(-1);
    $("rate").setAttribute("aria-label", `Throughput of ${$("port").value} over time, on the grey area of its capacity${last ? `; at the end ${bitrate(last.sent)}${last.could === null ? "" : ` of ${bitrate(last.could)}`}` : ""}`);
  }
  const bitrate = (bps) => { const [name, size] = [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3]].find(([, one]) => bps >= one) || ["bit/s", 1]; return `${Number((bps / size).toPrecision(3))} ${name}`; };
  function drawDelay() {
    const means = runs.filter((run) => run.mean).map((run) => [run.mean, run.mean.rows, run.mean.value, GREY]);
    curve($("delay"), "Delay", (ps) => time(ps, 3), [...means, ...runs.map((run, n) => [run.delays, run.delays.rows, run.delays.value, PALETTE[n]])]);
  }
  // Packets of a flow as tcptrace draws them: left, arrived, lost.
  function drawSequence() {
    const on = sheet($("sequence")), run = runs[0];
    let low = Infinity, high = 0;
    const all = run.flowRows, thin = thinned(run, all);
    const many = thin !== null && Record.from(run, all, t1) - Record.from(run, all, t0) > all.length / 2;
    const { at, seq, what } = many ? thin : run, rows = many ? thin.rows : all;
    const first = Record.from(run, rows, t0), last = Record.from(run, rows, t1), stride = Math.max(1, Math.floor((last - first) / FEW));
    for (let n = first; n < last; n += stride) {
      const number = seq[many ? n : rows[n]];
      if (number < low) low = number;
      if (number > high) high = number;
    }
    const up = (on.high - 26 * on.ratio) / (high - low || 1), scale = (on.wide - on.left) / (t1 - t0);
    const inks = { [run.ENQUEUE]: ink(PALETTE[0]), [run.DELIVER]: ink(PALETTE[2]), [run.DROP]: ink(RED) };
    for (let n = first; n < last; n += stride) {
      const row = many ? n : rows[n], code = what[row];
      const x = on.left + Math.floor((at[row] - t0) * scale), y = Math.floor(on.high - 6 - (seq[row] - low) * up);
      if (x < on.wide) {
        on.pixels[y * on.wide + x] = inks[code];
        if (x + 1 < on.wide) on.pixels[y * on.wide + x + 1] = inks[code];
      }
    }
    const lost = run.flowDrops, end = Record.from(run, lost, t1);
    for (let n = Record.from(run, lost, t0); n < end; n += 1) {
      const x = across(on, run.at[lost[n]]), y = on.high - 6 - (run.seq[lost[n]] - low) * up;
      box(on, x - 2, y - 2, x + 3, y + 3, inks[run.DROP]);
    }
    settle(on);
    words(on, "Packets", 4 * on.ratio, 10 * on.ratio);
    if (high >= low) {
      words(on, high.toLocaleString("en"), LABEL * on.ratio - 6, 22 * on.ratio, "--ink-2", "right", 11);
      words(on, low.toLocaleString("en"), LABEL * on.ratio - 6, on.high - 7 * on.ratio, "--ink-2", "right", 11);
    }
    marker(on);
  }
  function drawAxis() {
    const on = sheet($("axis"));
    settle(on);
    // The least step at which no label meets the next.
    const pixels = (on.wide - on.left) / on.ratio / (t1 - t0), least = 10 ** Math.floor(Math.log10((t1 - t0) / 20));
    const digits = (step) => Math.max(0, Math.ceil(12 - Math.log10(step)));
    const room = (step) => 6.4 * `${(t1 / 1e12).toFixed(digits(step))} s`.length + 18;
    const step = [1, 2, 5, 10, 20, 50, 100].map((one) => one * least).find((one) => one * pixels >= room(one)) || t1 - t0;
    const places = digits(step);
    for (let at = Math.ceil(t0 / step) * step; at <= t1; at += step) {
      const x = across(on, at);
      on.pen.fillStyle = style("--wire");
      on.pen.fillRect(x, 0, 1, 5 * on.ratio);
      const side = x < on.left + 20 * on.ratio ? "left" : x > on.wide - 20 * on.ratio ? "right" : "center";
      words(on, `${(at / 1e12).toFixed(places)} s`, x, 14 * on.ratio, "--ink-2", side, 11);
    }
  }

  function draw() {
    waiting = 0;
    if (runs.length === 0 || runs.some((run) => !run.lanes)) return;
    const began = performance.now();
    for (const run of runs) drawLanes(run);
    drawRate();
    drawDelay();
    drawQueue();
    if ($("window").hidden === false) drawWindow();
    drawSequence();
    drawAxis();
    window.viewer.times.push(performance.now() - began);
    $("span").textContent = `${seconds(t0)} to ${seconds(t1)}: ${time(t1 - t0)}`;
  }
  function soon() { waiting ||= requestAnimationFrame(draw); }

  // ---- moving
  function zoom(begin, end) {
    const low = Math.min(...runs.map((run) => run.begin)), high = Math.max(...runs.map((run) => run.end));
    const length = Math.max(10, Math.min(end - begin, high - low || 1));
    t0 = Math.max(low, Math.min(begin, high - length));
    t1 = t0 + length;
    soon();
  }
  const about = (factor, share = 0.5) => {
    const middle = t0 + share * (t1 - t0), length = (t1 - t0) * factor;
    zoom(middle - share * length, middle + (1 - share) * length);
  };
  const rove = (begin, end) => { $("follow").checked = false; zoom(begin, end); };
  const shift = (share) => rove(t0 + share * (t1 - t0), t1 + share * (t1 - t0));
  const shareOf = (event) => {
    const frame = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - frame.left - LABEL) / (frame.width - LABEL)));
  };
  function moves(canvas) {
    let held = null;
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY) && event.shiftKey) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) shift(event.deltaX / 1000);
      else about(event.deltaY > 0 ? 1.25 : 0.8, shareOf(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, t0, t1, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      const by = ((held.x - event.clientX) / (canvas.clientWidth - LABEL)) * (held.t1 - held.t0);
      held.moved ||= Math.abs(event.clientX - held.x) > 3;
      if (held.moved) rove(held.t0 + by, held.t1 + by);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved && canvas.run) pick(canvas.run, event);
      held = null;
    });
  }
  const KEYS = { w: () => about(0.5), s: () => about(2), a: () => shift(-0.25), d: () => shift(0.25), ArrowLeft: () => shift(-0.25), ArrowRight: () => shift(0.25), "+": () => about(0.5), "-": () => about(2), 0: () => rove(-Infinity, Infinity) };
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  // ---- a packet and its way
  function pick(run, event) {
    const frame = run.canvas.getBoundingClientRect(), place = run.lanes[Math.floor((event.clientY - frame.top) / LANE)];
    if (place === undefined) return;
    const at = t0 + ((event.clientX - frame.left - LABEL) / (frame.width - LABEL)) * (t1 - t0), sends = run.sends[place];
    const lines = Math.floor((LANE - 8) / 3), line = Math.floor(((event.clientY - frame.top) % LANE - 6) / 3);
    let best = -1, far = Infinity;
    for (let n = Record.from(run, sends, t0 - run.wire); n < sends.length && run.at[sends[n]] < t1 + run.wait; n += 1) {
      const row = sends[n], begins = run.before[row] >= 0 ? run.at[run.before[row]] : run.at[row], ends = run.after[row] >= 0 ? run.at[run.after[row]] : run.at[row];
      const away = Math.max(begins - at, at - ends, 0) + (n % lines === line ? 0 : (t1 - t0) / 200);
      if (away < far && run.flow[row] > 0) [best, far] = [row, away];
    }
    if (best >= 0) select(run, best);
  }
  function select(run, row) {
    const rows = Record.way(run, row);
    chosen = { run, rows, key: [run.flows[run.flow[row]], run.seq[row]] };
    const body = $("way").tBodies[0], last = rows.at(-1);
    const lines = rows.map((one) => {
      const before = run.before[one], since = before < 0 ? 0 : run.at[one] - run.at[before];
      const line = make("tr", "");
      const part = before < 0 ? "" : run.what[before] === run.ENQUEUE ? waited(run, before, one) : `on its way ${time(since)}`;
      for (const text of [seconds(run.at[one]), run.whats[run.what[one]], run.places[run.place[one]], part]) line.append(make("td", text));
      return line;
    });
    body.replaceChildren(...lines);
    $("packet").textContent = `${run.flows[run.flow[row]]}, packet ${run.seq[row]}, ${run.size_B[row]} B: ${run.what[last] === run.DELIVER ? "delivered" : run.what[last] === run.DROP ? "lost" : "on its way at the end"} after ${time(run.at[last] - run.at[rows[0]])}`;
    $("found").hidden = false;
    const begin = run.at[rows[0]], length = run.at[last] - begin || 1e6;
    if (begin < t0 || run.at[last] > t1 || length < (t1 - t0) / 50) rove(begin - length * 0.3, begin + length * 1.3);
    else soon();
  }
  function waited(run, from, to) {
    const place = run.place[from];
    run.gates[place] ??= Record.shut(run, place);
    let shut = 0;
    for (const [begin, end] of run.gates[place]) shut += Math.max(0, Math.min(end, run.at[to]) - Math.max(begin, run.at[from]));
    return `waited ${time(run.at[to] - run.at[from])}${shut > 0 ? `, of it ${time(shut)} behind a shut gate` : ""}`;
  }
  function search(text) {
    const found = /^\s*(.+?)[\s#]+(\d+)\s*$/.exec(text), run = runs[0];
    const flow = found ? run.flows.indexOf(found[1]) : -1;
    const known = flow > 0 ? run.last[flow] : null, row = known ? (known instanceof Map ? known.get(Number(found[2])) : known[found[2]]) ?? -1 : -1;
    $("said").textContent = row >= 0 ? "" : flow > 0 ? `${found[1]} has no packet ${found[2]}` : `write a flow and a number, such as "${run.flows[1] || "f1"} 0"`;
    if (row >= 0) select(run, row);
  }

  // ---- opening
  function choices() {
    const busiest = (lists) => lists.map((rows, number) => [rows.length, number]).sort((a, b) => b[0] - a[0]);
    const run = runs[0], port = $("port"), flow = $("flow");
    const waits = run.enqueues;
    port.replaceChildren(...busiest(waits).filter(([many]) => many).map(([, place]) => make("option", run.places[place], { value: run.places[place] })));
    const packets = run.flows.map((_, one) => (one === 0 ? [] : run.byFlow[one]));
    flow.replaceChildren(...busiest(packets).filter(([many]) => many).map(([, one]) => make("option", run.flows[one], { value: run.flows[one] })));
    const deepest = waits.map((rows, place) => [greatest(run, rows), place]).sort((a, b) => b[0] - a[0])[0];
    if (deepest) port.value = run.places[deepest[1]];
  }
  function greatest(run, rows) {
    let most = 0;
    for (const row of rows) if (run.value[row] > most) most = run.value[row];
    return most;
  }
  function chooseRows() {
    for (const run of runs) {
      const place = run.places.indexOf($("port").value), flow = run.flows.indexOf($("flow").value);
      run.queueRows = place < 0 ? new Int32Array(0) : run.enqueues[place];
      const of = flow < 1 ? new Int32Array(0) : run.byFlow[flow];
      run.windowRows = of.filter((row) => run.what[row] === run.WINDOW);
      run.flowRows = of.filter((row) => run.what[row] === run.DELIVER || (run.what[row] === run.ENQUEUE && run.before[row] < 0));
      run.flowDrops = of.filter((row) => run.what[row] === run.DROP);
      run.delays = Rates.delays(run, of);
      run.mean = Rates.means(run, $("flow").value);
      run.lanes = lanesOf(run);
    }
    $("window").hidden = runs.every((run) => run.windowRows.length === 0);
    soon();
  }
  function describe() {
    const row = (run) => {
      const count = (code) => (run.counts[code] || 0).toLocaleString("en");
      const line = make("tr", "");
      line.append(make("td", run.about.name || ""));
      for (const text of [run.rows.toLocaleString("en"), count(run.DELIVER), count(run.DROP), count(run.NOTICE), time(run.end, 6)]) line.append(make("td", text, { className: "num" }));
      return line;
    };
    $("facts").tBodies[0].replaceChildren(...runs.map(row));
  }
  function compare() {
    if (runs.length < 2) return;
    const [one, other] = runs, row = Record.difference(one, other);
    const told = (run) => (row < run.rows ? `${seconds(run.at[row])} ${run.whats[run.what[row]]} ${run.places[run.place[row]]} ${run.flows[run.flow[row]]} ${run.seq[row]}, value ${run.value[row]}` : "the record ends");
    if (row < 0) { $("diff").textContent = "The two runs are alike in every event."; return; }
    differs = Math.min(row < one.rows ? one.at[row] : one.end, row < other.rows ? other.at[row] : other.end);
    $("diff").textContent = `Alike in ${row.toLocaleString("en")} events. First difference: ${told(one)} | ${told(other)}.`;
    const length = (one.end - one.begin) / 200;
    zoom(differs - length / 2, differs + length / 2);
  }
  async function add(data, name) {
    const run = await Record.read(data);
    run.about.name ||= name;
    show(run);
  }
  function show(run) {
    run.gates = [];
    run.canvas = make("canvas", "", { className: "lanes", tabIndex: 0, run });
    run.canvas.setAttribute("role", "img");
    run.canvas.setAttribute("aria-label", `Packets at each port over time, ${run.about.name}; the tables below have the numbers`);
    moves(run.canvas);
    $("runs").append(run.canvas);
    runs.push(run);
  }
  // Takes the place of a run that is fed while it goes on. As long as all of it is shown, so much is shown as it comes.
  function feed(fresh, first) {
    const old = runs[0], follows = $("follow").checked, all = !old || t0 <= old.begin;
    if (old) {
      const mine = chosen && chosen.key;
      Object.assign(old, { capacity: {}, sums: [] }, fresh, { gates: [] });
      chosen = null;
      if (mine) {
        const flow = old.flows.indexOf(mine[0]), known = flow > 0 ? old.last[flow] : null;
        const row = known ? (known instanceof Map ? known.get(mine[1]) : known[mine[1]]) ?? -1 : -1;
        if (row >= 0) chosen = { run: old, rows: Record.way(old, row), key: mine };
      }
    } else show(fresh);
    const run = runs[0], offered = [...run.enqueues.map((rows, place) => (rows.length ? run.places[place] : "")), "", ...run.flows.filter((_, flow) => run.byFlow[flow].length)].sort().join();
    if (offered !== run.offered) {
      const [port, flow] = [$("port").value, $("flow").value];
      choices();
      if (port && run.places.includes(port)) $("port").value = port;
      if (flow && run.flows.includes(flow)) $("flow").value = flow;
      run.offered = offered;
    }
    chooseRows();
    describe();
    if (follows) {
      const length = all ? Math.max(first, t1 - t0) : t1 - t0;
      zoom(run.end - length, run.end);
    }
    document.documentElement.dataset.ready = "yes";
  }
  async function open(files) {
    const began = performance.now();
    try {
      for (const { data, name } of files) await add(data, name);
      choices();
      chooseRows();
      zoom(-Infinity, Infinity);
      describe();
      compare();
      draw();
      window.viewer.opened_ms = performance.now() - began;
      document.documentElement.dataset.ready = "yes";
    } catch (error) {
      $("said").textContent = String(error.message || error);
      document.documentElement.dataset.ready = "no";
    }
  }
  function fresh() {
    runs.length = 0;
    chosen = null;
    differs = -1;
    $("runs").replaceChildren();
    $("diff").textContent = $("said").textContent = "";
    $("found").hidden = true;
  }
  const whole = async (list) => {
    fresh();
    const files = [];
    for (const file of list) files.push({ data: new Uint8Array(await file.arrayBuffer()), name: file.name });
    open(files);
  };
  for (const id of ["rate", "delay", "queue", "window", "sequence"]) moves($(id));
  for (const id of ["port", "flow", "every"]) $(id).addEventListener("change", chooseRows);
  $("search").addEventListener("submit", (event) => { event.preventDefault(); search($("wanted").value); });
  $("all").addEventListener("click", () => rove(runs[0].begin, runs[0].end));
  $("in").addEventListener("click", () => about(0.5));
  $("out").addEventListener("click", () => about(2));
  $("file").addEventListener("change", (event) => whole(event.target.files));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => { event.preventDefault(); whole(event.dataTransfer.files); });
  new ResizeObserver(soon).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  const inlined = [...document.querySelectorAll("script[data-run]")].map((node) => {
    const text = atob(node.textContent), data = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) data[at] = text.charCodeAt(at);
    node.remove();
    return { data, name: node.dataset.run };
  });
  if (inlined.length) open(inlined);
})();
