// Throughput and capacity of a port and delays of a flow over time, as figures of mahimahi show them.
const Rates = (() => {
  "use strict";
  // So many steps of time make a curve; a step is no shorter than a millisecond.
  const STEPS = 150, LEAST = 1e9;

  function stepOf(t0, t1) {
    const rough = Math.max(LEAST, (t1 - t0) / STEPS), power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((by) => by * power).find((step) => step >= rough);
  }

  // Bytes that a place has sent before each of its sends, by its link's account.
  function sums(run, place) {
    run.sums ??= [];
    if (!run.sums[place]) {
      const rows = run.sends[place], less = run.capacity?.[run.places[place]]?.less ?? 0;
      const all = new Float64Array(rows.length + 1);
      for (let n = 0; n < rows.length; n += 1) all[n + 1] = all[n] + run.size_B[rows[n]] - less;
      run.sums[place] = all;
    }
    return run.sums[place];
  }

  // The part between two instants of sums over equal intervals.
  function between({ every_ps: every, bits }, from, to) {
    let found = 0;
    for (let n = Math.max(0, Math.floor(from / every)); n < bits.length && n * every < to; n += 1)
      found += (bits[n] || 0) * (Math.min(to, (n + 1) * every) - Math.max(from, n * every)) / every;
    return found;
  }

  // Bit/s of a port in each step: what it sent and what it could have sent; null where that is not known.
  function ofPort(run, place, t0, t1) {
    const name = run.places[place], told = run.sent?.[name], could = run.capacity?.[name], rate = run.rates?.[name];
    const step = Math.max(stepOf(t0, t1), told ? told.every_ps : 0), found = [];
    for (let from = Math.floor(t0 / step) * step; from < t1; from += step) {
      const to = Math.min(from + step, run.end), length = (to - from) / 1e12;
      if (length <= 0) break;
      let sent;
      if (told) sent = between(told, from, to);
      else {
        const rows = run.sends[place], all = sums(run, place);
        sent = 8 * (all[Record.from(run, rows, to)] - all[Record.from(run, rows, from)]);
      }
      found.push({ from, to, sent: sent / length, could: could ? between(could, from, to) / length : rate ?? null });
    }
    return found;
  }

  // When each packet of a flow arrived, and how long it had taken. Of a packet that was on its way as the record began the first
  // events are missing: it is left out.
  function delays(run, rows) {
    const first = (row) => {
      while (run.before[row] >= 0) row = run.before[row];
      return row;
    };
    const arrived = rows.filter((row) => run.what[row] === run.DELIVER && run.before[row] >= 0), firsts = arrived.map(first);
    const source = firsts.length ? run.place[firsts.at(-1)] : -1, at = [], value = [];
    arrived.forEach((row, n) => {
      if (run.since !== undefined && (run.place[firsts[n]] !== source || run.what[firsts[n]] !== run.ENQUEUE)) return;
      at.push(run.at[row]);
      value.push(run.at[row] - run.at[firsts[n]]);
    });
    return { at: Float64Array.from(at), value: Float64Array.from(value), rows: Int32Array.from(at, (_, n) => n) };
  }

  // The mean delay of a flow in each interval of an emulation, of which the packets themselves may be gone; null for a record.
  function means(run, flow) {
    const told = run.means?.[flow];
    if (!told) return null;
    const known = told.bits.map((mean, n) => [n * told.every_ps, mean]).filter(([, mean]) => mean !== undefined);
    const column = (which) => Float64Array.from(known, (one) => one[which]);
    return { at: column(0), value: column(1), rows: Int32Array.from(known, (_, n) => n) };
  }

  return { ofPort, delays, means };
})();
