// Takes pictures of pages and lays them on one sheet. Reads what to take from stdin (scripts/look.py writes it).
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { BROWSER, finished, launch, open } from "./browser.mjs";

const { pages, plain, pdftoppm, out } = JSON.parse(readFileSync(0, "utf8"));
if (BROWSER === undefined) throw new Error("no Chromium is installed");
const shots = join(out, "shots");
mkdirSync(shots, { recursive: true });
const named = (path) => (basename(path) === "report.html" || basename(path) === "index.html" ? `${basename(dirname(path))}-${basename(path, ".html")}` : basename(path).replace(/\.\w+$/, ""));
const taken = [];

const ready = (tab) =>
  tab.waitForFunction(() => !document.querySelector("[data-figure], script[data-run], html[data-live]") || document.documentElement.dataset.ready, null, { timeout: 120_000 });

const browser = await launch();

async function picture(tab, name, width) {
  const file = join(shots, `${name}.png`);
  const height = await tab.evaluate(() => document.documentElement.scrollHeight);
  // Chromium draws no more at once, and a moving picture would never be still.
  const clip = { x: 0, y: 0, width, height: Math.min(height, 4000) };
  await tab.screenshot({ path: file, clip, fullPage: true, animations: "disabled", timeout: 60_000 });
  taken.push(file);
}

/** The page as it is printed, its first six sheets. */
async function print(tab, name) {
  const pdf = join(shots, `${name}.pdf`);
  await tab.pdf({ path: pdf, format: "A4" });
  if (!pdftoppm) return;
  execFileSync(pdftoppm, ["-r", "60", "-l", "6", "-png", pdf, pdf.replace(/\.pdf$/, "-print")]);
  for (const file of readdirSync(shots).sort()) if (file.startsWith(`${name}-print-`)) taken.push(join(shots, file));
}

for (const page of pages) {
  for (const [width, dark] of [[1400, false], [1400, true], [500, false], [500, true]]) {
    const { context, tab } = await open(page, { width, dark, browser });
    await ready(tab);
    if (await tab.$("#gallery button")) await finished(tab);
    await tab.waitForFunction(() => !window.viewer || window.viewer.times.length > 0, null, { timeout: 60_000 });
    // Pictures below the fold would still be blank.
    await tab.evaluate(() => Promise.all([...document.images].map((image) => ((image.loading = "eager"), image.decode().catch(() => {})))));
    await tab.waitForTimeout(150);
    await picture(tab, `${named(page)}-${width}${dark ? "-dark" : ""}`, width);
    if (width === 1400 && !dark) await print(tab, named(page));
    for (const id of await tab.$$eval("#gallery button", (buttons) => buttons.slice(1).map((button) => button.dataset.page))) {
      await tab.evaluate(() => delete document.body.dataset.done);
      await tab.click(`[data-page=${id}]`);
      await finished(tab);
      await picture(tab, `${named(page)}-${id}-${width}${dark ? "-dark" : ""}`, width);
    }
    await context.close();
  }
}
for (const page of plain) {
  const { context, tab } = await open(page, { width: 1100, height: 400, browser });
  await picture(tab, named(page), 1100);
  await context.close();
}
const cells = taken.map((file) => `<figure><figcaption>${basename(file)}</figcaption><a href="${relative(out, file)}"><img src="${relative(out, file)}" alt="${basename(file)}"></a></figure>`);
const style = "body{font:12px sans-serif;margin:8px;display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:8px;align-items:start;background:#888}figure{margin:0;background:#fff}img{width:100%;display:block;max-height:420px;object-fit:cover;object-position:top}figcaption{padding:2px 4px}";
writeFileSync(join(out, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>All that people see</title><style>${style}</style>${cells.join("\n")}</html>`);
const { tab } = await open(join(out, "index.html"), { width: 1900, browser });
const long = await tab.evaluate(() => document.documentElement.scrollHeight);
for (let from = 0, number = 1; from < long; from += 2200, number += 1) {
  const clip = { x: 0, y: from, width: 1900, height: Math.min(2200, long - from) };
  await tab.screenshot({ path: join(out, `sheet-${number}.png`), clip, fullPage: true, timeout: 60_000 });
}
await browser.close();
process.stdout.write(`start here: ${join(out, "index.html")}\n`);
