// Opens pages of the site from files, searches, and prints what came of it as JSON: node test/site.mjs SITE WORD DRAWING.html
import { BROWSER, open } from "./browser.mjs";

const [site, word, drawing] = process.argv.slice(2);
if (BROWSER === undefined) {
  process.stdout.write(JSON.stringify({ skipped: "no Chromium is installed" }));
  process.exit(0);
}
const outside = (requests) => requests.filter((address) => !/^(file|data|blob):/.test(address));
const found = {};

{
  const { browser, tab, requests } = await open(`${site}/index.html`);
  await tab.fill("[data-md-component=search-query]", word);
  await tab.waitForSelector(".md-search-result__item a", { timeout: 30_000 }).catch(() => {});
  found.hits = await tab.$$eval(".md-search-result__item a", (links) => links.map((link) => link.getAttribute("href")));
  found.search = outside(requests);
  await browser.close();
}
{
  const { browser, tab, requests } = await open(`${site}/${drawing}`);
  // Each drawing of the architecture is a picture of the site.
  await tab.waitForFunction(() => [...document.querySelectorAll("article img")].every((one) => one.complete), null, { timeout: 30_000 }).catch(() => {});
  found.drawn = await tab.$$eval("article img", (drawings) => drawings.map((one) => [one.naturalWidth && one.clientWidth, one.clientHeight]));
  found.drawing = outside(requests);
  await browser.close();
}
process.stdout.write(JSON.stringify(found));
