// Opens pages of the site from files, searches, and prints what came of it as JSON: node test/site.mjs SITE WORD DRAWING.html PRINTED.html...
import { BROWSER, open } from "./browser.mjs";

const [site, word, drawing, ...printed] = process.argv.slice(2);
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
{
  // The menu of a narrow page by keys alone: whether it is open after each.
  const { browser, tab } = await open(`${site}/index.html`, { width: 500 });
  const label = () => tab.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (let presses = 0; presses < 20 && (await label()) !== "Menu"; presses += 1) await tab.keyboard.press("Tab");
  found.menu = [];
  for (const key of ["Enter", "Enter", " "]) {
    await tab.keyboard.press(key);
    found.menu.push(await tab.evaluate(() => document.querySelector("#__drawer").checked));
  }
  await browser.close();
}
{
  // On A4 with its margins a page is some 700 pixels wide, and nothing can be moved sideways.
  found.cut = {};
  for (const page of printed) {
    const { browser, tab } = await open(`${site}/${page}`);
    await tab.emulateMedia({ media: "print" });
    await tab.setViewportSize({ width: 700, height: 1000 });
    const cut = await tab.evaluate(() => {
      const wide = (one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1;
      const some = [...document.querySelectorAll("body *")].filter((one) => wide(one) && getComputedStyle(one).overflowX !== "visible");
      const beyond = document.documentElement.scrollWidth - innerWidth;
      return [...some.map((one) => `${one.tagName} ${one.className} ${one.scrollWidth - one.clientWidth}`), ...(beyond > 0 ? [`page ${beyond}`] : [])];
    });
    if (cut.length > 0) found.cut[page] = cut;
    await browser.close();
  }
}
process.stdout.write(JSON.stringify(found));
