// Follows an emulation: its intervals from the start on, and the events of the last minute. The emulator serves this page.
(() => {
  "use strict";
  if (document.documentElement.dataset.live === undefined) return;
  const EVERY = 5e11, KEPT = 120, MOST = 400000, POLL = 500, FIRST = 10e12;
  const rows = [];
  let pieces = [], failed = 0;
  const said = document.getElementById("said");

  // A record file each, behind its number and its length.
  async function take(bytes) {
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length; ) {
      const number = view.getUint32(at), length = view.getUint32(at + 4);
      pieces.push({ number, ...(await Record.columns(bytes.subarray(at + 8, at + 8 + length))) });
      at += 8 + length;
    }
    pieces = pieces.slice(-KEPT);
    let many = pieces.reduce((sum, piece) => sum + piece.head.rows, 0);
    while (pieces.length > 1 && many > MOST) many -= pieces.shift().head.rows;
  }

  // Sums over intervals, as a record file has the capacity of its links.
  function sums(kind, what, by) {
    const found = {};
    rows.forEach((row, n) => {
      for (const [name, one] of Object.entries(row[kind]))
        if (one[what] !== undefined && one[what] !== null) (found[name] ??= { every_ps: EVERY, bits: [] }).bits[n] = one[what] * by;
    });
    return found;
  }

  function show() {
    const end = rows.length * EVERY, run = Record.join(pieces, 0, end);
    run.about = { name: "this emulation" };
    run.sent = sums("ports", "throughput_bps", 0.5);
    run.capacity = { ...run.capacity, ...sums("ports", "capacity_bps", 0.5) };
    run.means = sums("flows", "delay_mean_s", 1e12);
    window.viewer.feed(run, FIRST);
    said.textContent = `${(end / 1e12).toFixed(1)} s. Packets are those of the last minute${run.cut ? `; of each half second the first ${pieces[0].head.about.most.toLocaleString("en")} events are here` : ""}.`;
  }

  async function follow() {
    try {
      const next = pieces.length ? pieces.at(-1).number + 1 : 0;
      const told = await (await fetch(`/rows?from=${rows.length}`)).json();
      const happened = await (await fetch(`/events?from=${next}`)).arrayBuffer();
      rows.push(...told);
      await take(new Uint8Array(happened));
      failed = 0;
      if (rows.length && (told.length || happened.byteLength)) show();
      if (!rows.length) said.textContent = "waits for the first half second";
    } catch (error) {
      failed += 1;
      if (!(error instanceof TypeError)) console.error(error);
      if (failed > 2) {
        said.textContent = `${(rows.length * EVERY) / 1e12} s: the emulation is over.`;
        document.documentElement.dataset.over = "yes";
        return;
      }
    }
    setTimeout(follow, POLL);
  }
  follow();
})();
