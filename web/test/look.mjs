// Takes pictures of pages and lays them on one sheet. Reads what to take from stdin (scripts/look.py writes it).
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { BROWSER, open } from "./browser.mjs";

const { pages, plain, pdftoppm, out } = JSON.parse(readFileSync(0, "utf8"));
if (BROWSER === undefined) throw new Error("no Chromium is installed");
const shots = join(out, "shots");
mkdirSync(shots, { recursive: true });
const named = (path) => (basename(path) === "report.html" || basename(path) === "index.html" ? `${basename(dirname(path))}-${basename(path, ".html")}` : basename(path).replace(/\.\w+$/, ""));
const taken = [];

const ready = (tab) =>
  tab.waitForFunction(() => !document.querySelector("[data-figure], script[data-run]") || document.documentElement.dataset.ready, null, { timeout: 120_000 });

for (const page of pages) {
  for (const [width, dark] of [[1400, false], [1400, true], [500, false], [500, true]]) {
    const { browser, tab } = await open(page, { width, dark });
    await ready(tab);
    await tab.waitForTimeout(150);
    const file = join(shots, `${named(page)}-${width}${dark ? "-dark" : ""}.png`);
    const height = await tab.evaluate(() => document.documentElement.scrollHeight);
    // A moving picture would never be still.
    const clip = { x: 0, y: 0, width, height: Math.min(height, 4000) };
    await tab.screenshot({ path: file, clip, fullPage: true, animations: "disabled", timeout: 120_000 });
    taken.push(file);
    if (width === 1400 && !dark) {
      const pdf = join(shots, `${named(page)}.pdf`);
      await tab.pdf({ path: pdf, format: "A4" });
      if (pdftoppm) {
        execFileSync(pdftoppm, ["-r", "60", "-l", "6", "-png", pdf, pdf.replace(/\.pdf$/, "-print")]);
        for (const name of readdirSync(shots).sort()) if (name.startsWith(`${named(page)}-print-`)) taken.push(join(shots, name));
      }
    }
    await browser.close();
  }
}
for (const page of plain) {
  const { browser, tab } = await open(page, { width: 1100, height: 400 });
  const file = join(shots, `${named(page)}.png`);
  await tab.screenshot({ path: file, fullPage: true, timeout: 120_000 });
  taken.push(file);
  await browser.close();
}
const cells = taken.map((file) => `<figure><figcaption>${basename(file)}</figcaption><a href="${relative(out, file)}"><img src="${relative(out, file)}" alt="${basename(file)}"></a></figure>`);
const style = "body{font:12px sans-serif;margin:8px;display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:8px;align-items:start;background:#888}figure{margin:0;background:#fff}img{width:100%;display:block}figcaption{padding:2px 4px}";
writeFileSync(join(out, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>All that people see</title><style>${style}</style>${cells.join("\n")}</html>`);
const { browser, tab } = await open(join(out, "index.html"), { width: 1900 });
await tab.screenshot({ path: join(out, "sheet.png"), fullPage: true, timeout: 120_000 });
await browser.close();
process.stdout.write(`start here: ${join(out, "index.html")}\n`);
