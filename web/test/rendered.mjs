// Looks at pages as a reader would and prints what is wrong as JSON: node test/rendered.mjs PAGE.html...
import { BROWSER, open } from "./browser.mjs";

const pages = process.argv.slice(2);
if (BROWSER === undefined) {
  process.stdout.write(JSON.stringify({ skipped: "no Chromium is installed" }));
  process.exit(0);
}

/** Runs in the page. */
function look() {
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const words = (element) => element.textContent.trim().slice(0, 60);

  // Corners of a text in pixels of the screen, along its own direction.
  const corners = (text) => {
    const box = text.getBBox(), matrix = text.getScreenCTM();
    const at = (x, y) => ({ x: matrix.a * x + matrix.c * y + matrix.e, y: matrix.b * x + matrix.d * y + matrix.f });
    const inset = Math.min(1.5, box.height / 6);
    const [left, top, right, bottom] = [box.x + inset, box.y + inset, box.x + box.width - inset, box.y + box.height - inset];
    return [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
  };
  // Two rectangles are apart if a side of one separates them.
  const apart = (one, other) =>
    [one, other].some((some) =>
      [0, 1].some((side) => {
        const axis = { x: some[side + 1].x - some[side].x, y: some[side + 1].y - some[side].y };
        const along = (corner) => corner.x * axis.x + corner.y * axis.y;
        const [a, b] = [one.map(along), other.map(along)];
        return Math.max(...a) <= Math.min(...b) || Math.max(...b) <= Math.min(...a);
      }),
    );
  const overlaps = [];
  for (const svg of document.querySelectorAll("svg")) {
    const texts = [...svg.querySelectorAll("text")].filter((text) => words(text) && shown(text) && text.getAttribute("opacity") !== "0");
    const boxes = texts.map(corners);
    for (let one = 0; one < texts.length; one += 1)
      for (let other = one + 1; other < texts.length; other += 1)
        if (!apart(boxes[one], boxes[other])) overlaps.push(`${svg.closest("figure")?.id || "svg"}: "${words(texts[one])}" and "${words(texts[other])}"`);
  }

  const unnamed = [...document.querySelectorAll("img, canvas, svg, input, select, button")].filter((element) => {
    if (element.closest("[aria-hidden=true], [role=img]") && !element.matches("[role=img]")) return false;
    if (element.matches("svg, input[type=hidden]") && element.closest("button, a, .verdict")) return false;
    const label = element.getAttribute("aria-label") || element.getAttribute("alt") || element.getAttribute("title") || element.labels?.[0]?.textContent || element.querySelector?.(":scope > title")?.textContent || (element.matches("button") ? element.textContent : "");
    return !label?.trim();
  }).map((element) => element.outerHTML.slice(0, 90));

  const unreachable = [...document.querySelectorAll("button, select, input, a[href], summary")].filter((element) => element.tabIndex < 0 && !element.disabled).map((element) => element.outerHTML.slice(0, 90));

  // A label that has no words and is seen is a button, but for that beside the field of its form.
  const labels = [...document.querySelectorAll("label")].filter((label) => shown(label) && label.children.length > 0 && !words(label) && !label.closest("form") && label.tabIndex < 0 && !label.control?.checkVisibility()).map((label) => label.outerHTML.slice(0, 90));

  const rgba = (colour) => (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const paper = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.5) return colour;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, style, noscript, .cells_marks, option") || !shown(element)) continue;
    const style = getComputedStyle(element), svg = element.closest("svg");
    const ink = rgba(svg ? style.fill : style.color);
    if (ink.length < 3 || ink[3] === 0) continue;
    const [a, b] = [light(ink), light(paper(element))].sort((one, other) => other - one);
    const ratio = (a + 0.05) / (b + 0.05), needed = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (ratio < needed - 0.01) faint.add(`${ratio.toFixed(2)}: ${words(element)}`);
  }
  // Lines of figures, such as intervals, need less than text: 3.
  const dim = new Set();
  for (const line of document.querySelectorAll(".chart-body svg .role-mark line, .chart-body svg .role-mark path")) {
    const style = getComputedStyle(line), ink = rgba(style.stroke);
    if (ink.length < 3 || ink[3] === 0 || style.opacity === "0" || !shown(line)) continue;
    const [a, b] = [light(ink), light(paper(line))].sort((one, other) => other - one);
    if ((a + 0.05) / (b + 0.05) < 3) dim.add(`${line.closest("figure")?.id}: ${style.stroke}`);
  }
  const blank = [...document.querySelectorAll("canvas")].filter((canvas) => {
    const pen = shown(canvas) && canvas.width > 0 && canvas.getContext("2d");
    if (!pen) return false;
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    let drawn = 0;
    for (let at = 3; at < data.length; at += 4) drawn += data[at] > 0;
    return drawn < 200;
  }).map((canvas) => canvas.id || canvas.getAttribute("aria-label"));
  return { wide: document.documentElement.scrollWidth - innerWidth, overlaps, unnamed, unreachable, labels, faint: [...faint], dim: [...dim], blank };
}

const found = {};
for (const page of pages) {
  found[page] = {};
  for (const [width, dark] of [[1400, false], [500, true]]) {
    const { browser, tab, requests, errors } = await open(page, { width, dark });
    await tab.waitForFunction(() => !document.querySelector("[data-figure], script[data-run], html[data-live]") || document.documentElement.dataset.ready, null, { timeout: 120_000 });
    // It draws in the frame after it is ready.
    await tab.waitForFunction(() => !window.viewer || window.viewer.times.length > 0, null, { timeout: 60_000 });
    const seen = await tab.evaluate(look);
    const own = /^https?:/.test(page) ? new URL(page).origin : "file:";
    const outside = requests.filter((address) => !address.startsWith(own) && !/^(data|blob):/.test(address));
    found[page][`${width}${dark ? " dark" : ""}`] = { ...seen, outside, errors };
    await browser.close();
  }
}
process.stdout.write(JSON.stringify(found));
