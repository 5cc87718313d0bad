// Times of the playground in Chromium as JSON: node test/speed.mjs PAGE.html
import { BROWSER, finished, open } from "./browser.mjs";

const [path] = process.argv.slice(2);
if (BROWSER === undefined) throw new Error("no Chromium is installed");

/** Runs a scenario of 2,000 packets at once on a wire of 1 s, for the frames of the drawing. */
const DOTS = `schema = "backwater/scenario/1"
duration = "20 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
links.l = { ends = ["A", "B"], rate = "100 Mbit/s", delay = "1 s" }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "17 Mbit/s" } }
`;

const { browser, tab } = await open(path);
const found = {};
const at = () => tab.evaluate(() => performance.now());
const drawn = (tab) => tab.waitForFunction(() => document.querySelectorAll(".uplot canvas").length > 0, null, { polling: "raf" });

// From the beginning of navigation, in the page's own time.
await drawn(tab);
found.first_plot_ms = Math.round(await at());
await finished(tab);

// A control, and the time until curves of the new run are drawn: each page, first change and later ones.
found.slider = {};
for (const id of await tab.$$eval("#gallery button", (buttons) => buttons.map((button) => button.dataset.page))) {
  await tab.evaluate(() => delete document.body.dataset.done);
  await tab.click(`[data-page=${id}]`);
  let before = await finished(tab);
  const times = [];
  for (let change = 0; change < 4; change += 1) {
    const ms = await tab.evaluate((old) => new Promise((resolve) => {
      const canvas = document.querySelector(".uplot canvas"), means = document.querySelector(".means"), said = means.textContent;
      const input = document.querySelector("#seed");
      delete document.body.dataset.done;
      const began = performance.now();
      let first = 0;
      const watch = new MutationObserver(() => { first ||= means.textContent === said ? 0 : performance.now() - began; });
      watch.observe(means, { childList: true, characterData: true, subtree: true });
      input.value = String(Number(input.value) + 1);
      input.dispatchEvent(new Event("change"));
      const poll = () => {
        if (!document.body.dataset.done) return void setTimeout(poll, 1);
        watch.disconnect();
        resolve([Math.round(first), Math.round(performance.now() - began)]);
      };
      poll();
    }), before);
    times.push(ms);
  }
  found.slider[id] = times;
}

// A change while a long run goes on: the time until the newer run opens.
await tab.click("[data-page=rivals]");
await finished(tab);
found.cancel_ms = [];
for (let change = 0; change < 5; change += 1) {
  found.cancel_ms.push(await tab.evaluate(() => new Promise((resolve) => {
    const input = document.querySelector("#seed"), progress = document.querySelector("#progress");
    const next = () => { input.value = String(Number(input.value) + 1); input.dispatchEvent(new Event("change")); };
    next();
    const begun = () => {
      if (progress.value < 0.05) return void setTimeout(begun, 1);
      const began = performance.now();
      next();
      // The bar starts anew with the newer run.
      const poll = () => (progress.value > 0 ? resolve(Math.round(performance.now() - began)) : setTimeout(poll, 1));
      poll();
    };
    begun();
  })));
  await finished(tab);
}

// Frames a second with 2,000 packets on their way.
await tab.fill("#text", DOTS);
await tab.evaluate(() => delete document.body.dataset.done);
await tab.click("#apply");
await finished(tab);
await tab.evaluate(() => { const time = document.querySelector("#time"); time.value = "0.2"; time.dispatchEvent(new Event("input")); document.querySelector("#pace").value = "0.05"; });
await tab.waitForTimeout(300);
found.frames = await tab.evaluate(() => new Promise((resolve) => {
  const began = performance.now(), pen = CanvasRenderingContext2D.prototype.clearRect;
  let frames = 0;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) { frames += 1; return pen.apply(this, box); };
  setTimeout(() => {
    CanvasRenderingContext2D.prototype.clearRect = pen;
    resolve({ a_second: Math.round((frames * 1e4) / (performance.now() - began)) / 10, clock: document.querySelector("#clock").textContent });
  }, 3000);
}));
await browser.close();
process.stdout.write(`${JSON.stringify(found, null, 1)}\n`);
