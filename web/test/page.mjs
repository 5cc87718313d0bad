// Uses the page as a reader does and prints what was seen as JSON: node test/page.mjs PAGE.html
import { finished, open, BROWSER } from "./browser.mjs";

const [path] = process.argv.slice(2);
if (BROWSER === undefined) {
  process.stdout.write(JSON.stringify({ skipped: "no Chromium is installed" }));
  process.exit(0);
}

/** Share of a canvas's pixels that are drawn. */
const inked = (tab, selector) =>
  tab.evaluate((where) => {
    const canvas = document.querySelector(where);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let drawn = 0;
    for (let at = 3; at < data.length; at += 4) drawn += data[at] > 0 ? 1 : 0;
    return drawn / (data.length / 4);
  }, selector);

const forget = (tab) => tab.evaluate(() => delete document.body.dataset.done);

const { browser, tab, requests, errors } = await open(path);
const began = Date.now();
await finished(tab);
const seen = { first_ms: Date.now() - began, pages: {} };

const ids = await tab.evaluate(() => [...document.querySelectorAll("#gallery button")].map((button) => button.dataset.page));
for (const id of ids) {
  await forget(tab);
  await tab.click(`[data-page=${id}]`);
  const fingerprint = await finished(tab);
  await tab.waitForTimeout(200);
  seen.pages[id] = {
    fingerprint,
    native: await tab.textContent("#native"),
    refusal: await tab.isVisible("#refusal"),
    claims: await tab.locator("#claims tr").count(),
    network: await inked(tab, "#network"),
    curves: await tab.locator(".uplot").count(),
    means: await tab.locator(".means").allTextContents(),
  };
}

// A control, by keyboard.
await tab.click("[data-page=buffers]");
const before = await finished(tab, seen.pages[ids.at(-1)].fingerprint);
await forget(tab);
await tab.focus("#control-buffer");
const pressed = Date.now();
await tab.keyboard.press("ArrowRight");
seen.slider = { before, after: await finished(tab), ms: Date.now() - pressed };

// Many changes at once: the last one is shown.
await forget(tab);
for (let press = 0; press < 4; press += 1) await tab.keyboard.press("ArrowLeft");
await tab.keyboard.press("ArrowRight");
await finished(tab);
await tab.waitForTimeout(600);
seen.newest = { text: await tab.textContent("label[for=control-buffer]"), native: await tab.evaluate(() => document.body.dataset.done) };

// The address, in a second tab.
const address = tab.url();
const second = await tab.context().newPage();
await second.goto(address);
seen.address = { length: address.length, fingerprint: await finished(second) };
await second.close();

// A scenario of the reader's own, wrong and right.
await tab.fill("#text", "schema = 1");
await tab.click("#apply");
await tab.waitForSelector("#refusal:not([hidden])");
seen.refusal = await tab.textContent("#refusal");

// Narrow and dark: nothing is wider than the page, and every control is reached by keyboard.
await tab.setViewportSize({ width: 500, height: 900 });
await tab.emulateMedia({ colorScheme: "dark" });
await tab.click("[data-page=pause]");
await finished(tab);
seen.narrow = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
seen.unreachable = await tab.evaluate(() =>
  [...document.querySelectorAll("button, input, select, textarea")].filter((element) => element.tabIndex < 0).length,
);
seen.unnamed = await tab.evaluate(() =>
  [...document.querySelectorAll("input, select, textarea")].filter((element) => !(element.labels?.length || element.ariaLabel)).length,
);
seen.outside = requests.filter((url) => !/^(file|blob|data):/.test(url));
seen.errors = errors;
await browser.close();
process.stdout.write(JSON.stringify(seen));
