// Puts page, engine and worker into one file: node build.mjs ENGINE.txt OUT.html FINGERPRINTS.json
// The engine is the text that scripts/playground.py packs. The fingerprints are those of the compiled program, by state of the gallery.
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [engine, out, fingerprints] = process.argv.slice(2);
if (fingerprints === undefined) {
  console.error("usage: node build.mjs ENGINE.txt OUT.html FINGERPRINTS.json");
  process.exit(2);
}

async function bundled(file) {
  const made = await build({
    entryPoints: [join(here, "src", file)], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8",
  });
  // The end of a script element ends the script wherever it stands.
  return made.outputFiles[0].text.replaceAll("</script", "<\\/script");
}

const read = (path) => readFileSync(path, "utf8");
const parts = {
  style: read(join(here, "node_modules/uplot/dist/uPlot.min.css")) + read(join(here, "src/style.css")),
  engine: read(engine),
  native: read(fingerprints),
  worker: await bundled("worker.ts"),
  main: await bundled("main.ts"),
};
const page = read(join(here, "src/page.html")).replace(/{{(\w+)}}/g, (_, name) => parts[name]);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${page.length} bytes`);
