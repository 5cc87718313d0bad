// Chromium with the page from a file: what the tests of the page share.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const KNOWN = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where a Chromium is; undefined where none is installed. */
export const BROWSER = KNOWN.find((path) => existsSync(path));

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: BROWSER, args: FLAGS });

/** A page in a context of its own, in `browser` or in a new one. */
export async function open(page, { width = 1400, height = 1000, dark = false, browser: running } = {}) {
  const browser = running ?? (await launch());
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const tab = await context.newPage();
  const requests = [];
  const errors = [];
  tab.on("request", (request) => requests.push(request.url()));
  tab.on("pageerror", (error) => errors.push(String(error)));
  tab.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await tab.goto(/^https?:/.test(page) ? page : pathToFileURL(page).href);
  return { browser, context, tab, requests, errors };
}

/** Waits for the end of a run whose fingerprint is not `before`. */
export async function finished(tab, before = "") {
  await tab.waitForFunction((old) => document.body.dataset.done && document.body.dataset.done !== old, before, { timeout: 60_000 });
  return tab.evaluate(() => document.body.dataset.done);
}
