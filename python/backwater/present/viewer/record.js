// Reads a record file (model/record_file.py and record_columns.py say how it is built) and indexes its packets.
const Record = (() => {
  "use strict";
  const MAGIC = "BWREC 2\n", MOST = 1e8, CELLS = 8e6;
  // More groups than this are numbered anew, so that no list has an entry for each combination of names.
  const GROUPS = 1 << 22;

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // The group of each row, written into `keys`: one array for all columns, since each would take 4 B a row.
  function keysOf(group, columns, rows, sizes, keys) {
    if (group.length === 0) return null;
    keys.fill(0);
    let many = 1;
    for (const name of group) {
      const column = columns[name], size = sizes[name];
      if (many * size > GROUPS) {
        const known = new Map();
        for (let row = 0; row < rows; row += 1) {
          const key = keys[row] * size + column[row];
          let number = known.get(key);
          if (number === undefined) known.set(key, (number = known.size));
          keys[row] = number;
        }
        many = known.size;
      } else {
        for (let row = 0; row < rows; row += 1) keys[row] = keys[row] * size + column[row];
        many *= size;
      }
    }
    return { keys, many };
  }

  // LEB128 of zigzag, summed up within the groups.
  function decode(raw, target, rows, groups) {
    const before = new Float64Array(groups ? groups.many : 0);
    let at = 0;
    for (let row = 0; row < rows; row += 1) {
      let byte = raw[at++], number;
      if (byte < 128) {
        number = byte & 1 ? -((byte + 1) >> 1) : byte >> 1;
      } else {
        number = byte & 127;
        for (let place = 128; byte > 127; place *= 128) {
          byte = raw[at++];
          number += (byte & 127) * place;
        }
        number = number % 2 === 1 ? -(number + 1) / 2 : number / 2;
      }
      target[row] = groups ? (before[groups.keys[row]] += number) : number;
    }
    if (at !== raw.length) throw new Error("this record file is damaged: record the run again");
  }

  // Times count from the row before of the packet, or from the row above.
  function times({ ENQUEUE, DELIVER, what, before }, target) {
    for (let row = 1; row < target.length; row += 1) {
      const follows = before[row] >= 0 && (what[row] === ENQUEUE || what[row] === DELIVER);
      target[row] += target[follows ? before[row] : row - 1];
    }
  }

  // Waits and delays follow from the times, and seven eighths of a smoothed round trip from the one before.
  function values({ SEND, DELIVER, SRTT, what, flow, before, time_ps: at, flows }, target) {
    const trips = new Float64Array(flows.length + 1);
    for (let row = 0; row < target.length; row += 1) {
      if (what[row] === SRTT) {
        const earlier = trips[flow[row]];
        trips[flow[row]] = target[row] += earlier - Math.floor(earlier / 8);
      } else if (before[row] >= 0 && what[row] === SEND) {
        target[row] += at[row] - at[before[row]];
      } else if (before[row] >= 0 && what[row] === DELIVER) {
        let first = before[row];
        while (before[first] >= 0) first = before[first];
        target[row] += at[row] - at[first];
      }
    }
  }

  // The narrowest array of whole numbers that holds the column: a run of a million packets has four million rows.
  function narrow(column) {
    let least = 0, most = 0;
    for (let row = 0; row < column.length; row += 1) {
      if (column[row] > most) most = column[row];
      else if (column[row] < least) least = column[row];
    }
    const Kind = least < 0 ? Float64Array : most < 256 ? Uint8Array : most < 65536 ? Uint16Array : most < 2 ** 32 ? Uint32Array : Float64Array;
    return Kind === Float64Array ? column : Kind.from(column);
  }

  const KINDS = {
    time_ps: Float64Array, what: Uint8Array, place: Uint16Array, flow: Uint32Array,
    seq: Uint32Array, class: Uint8Array, size_B: Uint32Array, value: Float64Array,
  };

  // Head and columns of a record file.
  async function columnsOf(bytes) {
    const magic = new TextDecoder().decode(bytes.subarray(0, 8));
    if (magic !== MAGIC && magic.startsWith("BWREC "))
      throw new Error(`this record file has version ${magic.slice(6).trim()}, and this page reads version 2: record the run again`);
    if (magic !== MAGIC) throw new Error("this is no record file: write one with backwater run --record NAME.bwrec");
    const length = new DataView(bytes.buffer, bytes.byteOffset + 8, 4).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
    const { rows, whats, places, flows } = head;
    if (rows >= MOST)
      throw new Error("more events than a page can hold: record a part, with --set 'duration=\"1 s\"'");
    const columns = { ...codes(whats), flows }, sizes = { what: whats.length, place: places.length, flow: flows.length + 1 };
    const keys = new Uint32Array(rows);
    let at = 12 + length, grouped = "", groups = null, scratch = new Float64Array(rows);
    for (const { name, bytes: size, group } of head.columns) {
      const raw = await inflate(bytes.subarray(at, at + size));
      at += size;
      if (grouped !== group.join()) groups = keysOf(group, columns, rows, sizes, keys);
      grouped = group.join();
      decode(raw, scratch, rows, groups);
      if (name === "time_ps") times(columns, scratch);
      else if (name === "value") values(columns, scratch);
      columns[name] = narrow(scratch);
      // A column that is as wide as the scratch keeps it.
      if (columns[name] === scratch && name !== head.columns.at(-1).name) scratch = new Float64Array(rows);
      if (name === "seq") Object.assign(columns, packets(columns, rows, flows.length + 1));
    }
    return { head, columns };
  }

  async function read(bytes) {
    const { head, columns } = await columnsOf(bytes);
    return index({ ...head, ...columns, flows: ["", ...head.flows], at: columns.time_ps });
  }

  // One run of several record files, each with names of its own, from one instant to another.
  function join(pieces, since, until) {
    const rows = pieces.reduce((sum, piece) => sum + piece.head.rows, 0), lists = { what: [], place: [], flow: [""] };
    const columns = Object.fromEntries(Object.entries(KINDS).map(([name, Kind]) => [name, new Kind(rows)]));
    const known = { what: new Map(), place: new Map(), flow: new Map() }, rates = {}, capacity = {};
    const number = (sort, name) => {
      if (!known[sort].has(name)) known[sort].set(name, lists[sort].push(name) - 1);
      return known[sort].get(name);
    };
    let at = 0;
    for (const { head, columns: own } of pieces) {
      const names = { what: head.whats.map((name) => number("what", name)), place: head.places.map((name) => number("place", name)), flow: [0, ...head.flows.map((name) => number("flow", name))] };
      for (const name of Object.keys(KINDS)) {
        if (names[name]) for (let row = 0; row < head.rows; row += 1) columns[name][at + row] = names[name][own[name][row]];
        else columns[name].set(own[name], at);
      }
      Object.assign(rates, head.rates);
      at += head.rows;
    }
    Object.assign(columns, codes(lists.what));
    Object.assign(columns, packets(columns, rows, lists.flow.length));
    return index({ rows, whats: lists.what, places: lists.place, flows: lists.flow, rates, capacity, since, until, cut: pieces.some((piece) => full(piece.head)), at: columns.time_ps, ...columns });
  }

  // Whether a piece of an emulation has only its first events.
  const full = (head) => head.rows >= head.about.most;

  // The number of each kind of event; one that no event has, where the run has no such events.
  function codes(whats) {
    const code = (name) => (whats.includes(name) ? whats.indexOf(name) : 255);
    const [ENQUEUE, SEND, DELIVER, DROP, KNOB, NOTICE, WINDOW, SRTT, MARK] = ["enqueue", "send", "deliver", "drop", "knob", "notice", "window", "srtt", "mark"].map(code);
    return { ENQUEUE, SEND, DELIVER, DROP, KNOB, NOTICE, WINDOW, SRTT, MARK };
  }

  // For each row the one before of the same packet, and the last row of each packet. Flow 0 is none.
  function packets({ ENQUEUE, SEND, DELIVER, DROP, what, flow, seq }, rows, flows) {
    const of = (row) => flow[row] > 0 && (what[row] === ENQUEUE || what[row] === SEND || what[row] === DELIVER || what[row] === DROP);
    const most = new Float64Array(flows);
    for (let row = 0; row < rows; row += 1) if (of(row) && seq[row] >= most[flow[row]]) most[flow[row]] = seq[row] + 1;
    const last = Array.from(most, (many) => (many > 4 * rows + 1000 ? new Map() : new Int32Array(many).fill(-1)));
    const before = new Int32Array(rows).fill(-1);
    for (let row = 0; row < rows; row += 1) {
      if (!of(row)) continue;
      const numbers = last[flow[row]], number = seq[row];
      const known = numbers instanceof Map ? numbers.get(number) ?? -1 : numbers[number];
      // After its end a number may come again.
      if (known >= 0 && what[known] !== DELIVER && what[known] !== DROP) before[row] = known;
      if (numbers instanceof Map) numbers.set(number, row);
      else numbers[number] = row;
    }
    return { before, last };
  }

  // The row after each row of its packet, and the rows of each place and flow.
  function index(run) {
    const { rows, what, before, at, ENQUEUE, SEND, DROP } = run;
    run.after = new Int32Array(rows).fill(-1);
    for (let row = 0; row < rows; row += 1) if (before[row] >= 0) run.after[before[row]] = row;
    run.end = run.until ?? (rows ? at[rows - 1] : 1);
    run.begin = run.since ?? (rows ? at[0] : 0);
    run.counts = new Uint32Array(run.whats.length);
    for (let row = 0; row < rows; row += 1) run.counts[what[row]] += 1;
    run.byFlow = lists(run.flow, run.flows.length, rows, what, -1);
    run.sends = lists(run.place, run.places.length, rows, what, SEND);
    run.enqueues = lists(run.place, run.places.length, rows, what, ENQUEUE);
    // Those that wait until the end. Where events are missing, a packet may have left unseen.
    run.held = run.enqueues.map((rows) => (run.cut ? rows.subarray(0, 0) : rows.filter((row) => run.after[row] < 0)));
    run.knobs = lists(run.place, run.places.length, rows, what, run.KNOB);
    const flash = new Uint8Array(rows);
    for (let row = 0; row < rows; row += 1) flash[row] = what[row] === DROP || what[row] === run.NOTICE || what[row] === run.MARK ? 1 : 0;
    run.flashes = lists(run.place, run.places.length, rows, flash, 1);
    run.busy = run.sends.map((some, one) => some.length + run.enqueues[one].length + run.flashes[one].length);
    run.wait = run.wire = 0;
    for (let row = 0; row < rows; row += 1) {
      if (what[row] !== SEND) continue;
      if (run.before[row] >= 0) run.wait = Math.max(run.wait, at[row] - at[run.before[row]]);
      if (run.after[row] >= 0) run.wire = Math.max(run.wire, at[run.after[row]] - at[row]);
    }
    pyramid(run);
    return run;
  }

  // Rows of each value of a column, of those whose `sort` is `wanted`; -1 for all rows.
  function lists(column, many, rows, sort, wanted) {
    const counts = new Uint32Array(many + 1), starts = new Uint32Array(many + 1);
    for (let row = 0; row < rows; row += 1) if (wanted < 0 || sort[row] === wanted) counts[column[row]] += 1;
    for (let one = 0; one < many; one += 1) starts[one + 1] = starts[one] + counts[one];
    const all = new Int32Array(starts[many]), next = starts.slice();
    for (let row = 0; row < rows; row += 1) if (wanted < 0 || sort[row] === wanted) all[next[column[row]]++] = row;
    return Array.from({ length: many }, (_, one) => all.subarray(starts[one], starts[one + 1]));
  }

  // How many packets wait at each place in each of many bins of time, the most of pairs upward.
  function pyramid(run) {
    const { at, after, what, enqueues, begin, end } = run;
    let bins = 1 << 16;
    while (bins > 1024 && bins * run.places.length > CELLS) bins >>= 1;
    run.bins = bins;
    const scale = (bins - 1) / (end - begin || 1);
    run.levels = enqueues.map((rows) => {
      if (rows.length < 2) return null;
      const depth = new Float32Array(bins);
      for (const row of rows) {
        if (after[row] < 0 && run.cut) continue;
        depth[Math.floor((at[row] - begin) * scale)] += 1;
        const leaves = after[row] < 0 ? bins : Math.floor((at[after[row]] - begin) * scale) + 1;
        if (leaves < bins) depth[leaves] -= 1;
      }
      for (let bin = 1; bin < bins; bin += 1) depth[bin] += depth[bin - 1];
      const levels = [depth];
      while (levels.at(-1).length > 512) {
        const below = levels.at(-1), half = new Float32Array(below.length / 2);
        for (let bin = 0; bin < half.length; bin += 1) half[bin] = Math.max(below[2 * bin], below[2 * bin + 1]);
        levels.push(half);
      }
      return levels;
    });
  }

  // The first index of sorted rows whose time is not before `time`.
  function from(run, rows, time) {
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.at[rows[middle]] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // All rows of the packet that this row is about.
  function way(run, row) {
    let first = row;
    while (run.before[first] >= 0) first = run.before[first];
    const found = [];
    for (let one = first; one >= 0; one = run.after[one]) found.push(one);
    return found;
  }

  // From when to when a gate of a place is shut.
  function shut(run, place) {
    const found = [];
    const rate = run.rates[run.places[place]];
    let since = -1, until = 0;
    const close = (time) => {
      if (since >= 0) found.push([since, rate ? Math.min(time, until) : time]);
      since = -1;
    };
    for (const row of run.knobs[place]) {
      const now = run.at[row];
      if (since >= 0 && rate && until < now) close(now);
      if (run.value[row] === 0) close(now);
      else if (since < 0) since = now;
      // A quantum is 512 bit times.
      until = now + (run.value[row] * 512e12) / (rate || 1);
    }
    close(run.end);
    return found;
  }

  // The first row in which two runs differ; -1 where they are alike.
  function difference(one, other) {
    const rows = Math.min(one.rows, other.rows);
    const numbers = ["at", "seq", "class", "size_B", "value"], named = [["what", "whats"], ["place", "places"], ["flow", "flows"]];
    const maps = named.map(([, list]) => one[list].map((name) => other[list].indexOf(name)));
    for (let row = 0; row < rows; row += 1) {
      for (const name of numbers) if (one[name][row] !== other[name][row]) return row;
      for (let n = 0; n < 3; n += 1) if (maps[n][one[named[n][0]][row]] !== other[named[n][0]][row]) return row;
    }
    return one.rows === other.rows ? -1 : rows;
  }

  return { read, columns: columnsOf, join, from, way, shut, difference };
})();
