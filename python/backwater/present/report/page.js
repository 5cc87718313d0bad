(() => {
  "use strict";
  const GAP = 20, AXIS = 70, NARROWEST = 260, WIDEST = 480, WIDEST_ALONE = 720;
  // Of the axis of numbers below horizontal bars.
  const BELOW = { grid: true, domain: false, ticks: false, labelOverlap: true };
  const read = (id) => JSON.parse(document.getElementById(id).textContent);

  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // A specification for this width and this y scale; title and key facts stand in the caption.
  function fitted(original, width, scale) {
    const spec = structuredClone(original);
    const meta = spec.usermeta.backwater;
    const view = spec.spec || spec;
    delete spec.title;
    let horizontal = meta.horizontal;
    if (!horizontal && meta.flat && meta.upright > panel(spec, view, meta, width, AXIS)) {
      Object.assign(view, meta.flat);
      horizontal = true;
    }
    panel(spec, view, meta, width, horizontal ? AXIS + meta.names : AXIS);
    spec.config.legend.columns = Math.max(1, Math.floor((width - AXIS) / (meta.legend || 110)));
    const x = view.encoding && view.encoding.x, angle = x && x.axis && x.axis.labelAngle;
    if (angle === 0 && meta.upright > view.width) {
      x.axis.labelAngle = -40;
      delete x.axis.labelExpr;
    }
    const chosen = scale && meta.scales && meta.scales[scale];
    if (chosen && !horizontal) Object.assign(view.encoding.y, chosen);
    if (chosen && horizontal) Object.assign(view.encoding.x, chosen, { axis: { ...chosen.axis, ...BELOW } });
    return spec;
  }

  // Sets the width of a panel, beside what an axis takes, and how many stand in a row.
  function panel(spec, view, meta, width, axis) {
    if (spec.spec) {
      const room = Math.max(1, Math.floor((width - axis + GAP) / (NARROWEST + GAP)));
      // Rows of two beside rows of one would be hard to compare.
      const columns = room >= meta.columns ? meta.columns : 1;
      spec.columns = columns;
      const each = (width - axis - GAP * (columns - 1)) / columns;
      view.width = Math.max(180, Math.floor(columns === 1 ? Math.min(each, WIDEST_ALONE) : Math.min(each, WIDEST)));
    } else {
      view.width = Math.max(200, Math.min(width - 4, WIDEST_ALONE + AXIS));
      view.autosize = { type: "fit-x", contains: "padding" };
    }
    return view.width;
  }

  function figure(box) {
    const original = read("spec-" + box.dataset.figure);
    const meta = original.usermeta.backwater;
    const body = box.querySelector(".chart-body"), name = body.getAttribute("aria-label");
    let scale = meta.scale, shown = null, drawn = 0, chosen = {};

    async function draw() {
      const width = box.clientWidth;
      if (!width) return;
      drawn = width;
      if (shown) {
        for (const p of original.params || []) chosen[p.name] = shown.view.signal(p.name);
        shown.finalize();
      }
      const spec = fitted(original, width, scale);
      for (const p of spec.params || []) if (p.name in chosen) p.value = chosen[p.name];
      shown = await vegaEmbed(body, spec, {
        actions: false, renderer: "svg", mode: "vega-lite",
        // Expressions are interpreted: the page's policy forbids to make code of text.
        ast: true,
      });
      // Vega gives its box a role of its own, without a name.
      body.setAttribute("role", "img");
      body.setAttribute("aria-label", name);
      box.dataset.drawn = "yes";
    }
    let waiting = 0;
    new ResizeObserver(() => {
      if (box.clientWidth === drawn) return;
      clearTimeout(waiting);
      waiting = setTimeout(draw, 150);
    }).observe(box);

    for (const button of box.querySelectorAll("[data-scale]")) {
      button.addEventListener("click", () => {
        scale = button.dataset.scale;
        for (const other of box.querySelectorAll("[data-scale]"))
          other.setAttribute("aria-pressed", String(other === button));
        draw();
      });
    }
    for (const button of box.querySelectorAll("[data-save]")) {
      button.addEventListener("click", async () => {
        const kind = button.dataset.save, name = box.dataset.file + "." + kind;
        if (kind === "svg") save(name, new Blob([await shown.view.toSVG()], { type: "image/svg+xml" }));
        else (await shown.view.toCanvas(3)).toBlob((blob) => save(name, blob));
      });
    }
    return draw();
  }

  function results(box) {
    const table = box.querySelector("table"), body = table.tBodies[0];
    const rows = [...body.rows], count = box.querySelector("[data-count]");
    const picks = [...box.querySelectorAll("select[data-column]")];
    function filter() {
      let left = 0;
      for (const row of rows) {
        const ok = picks.every((p) => !p.value || row.cells[p.dataset.column].textContent === p.value);
        row.hidden = !ok;
        left += ok;
      }
      count.textContent = left === rows.length ? rows.length + " rows" : left + " of " + rows.length + " rows";
    }
    for (const pick of picks) pick.addEventListener("change", filter);
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => Number(row.cells[column].dataset.v || NaN);
        rows.sort((a, b) => {
          const x = value(a), y = value(b);
          if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
          return down ? y - x : x - y;
        });
        body.append(...rows);
      });
    });
    filter();
  }

  for (const button of document.querySelectorAll("[data-csv]"))
    button.addEventListener("click", () => {
      save(button.dataset.file, new Blob([read(button.dataset.csv)], { type: "text/csv" }));
    });
  for (const button of document.querySelectorAll("[data-copy]"))
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  document.querySelectorAll("[data-results]").forEach(results);
  (async () => {
    for (const box of document.querySelectorAll("[data-figure]")) {
      try { await figure(box); } catch (error) {
        box.querySelector(".chart-body").textContent = "This figure could not be drawn: " + error.message;
      }
    }
    document.documentElement.dataset.ready = "yes";
  })();
})();
