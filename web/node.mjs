// The engine in Node.
//   node node.mjs states                       prints the gallery's states as JSON: [{key, run}]
//   node node.mjs time ENGINE.wasm < STATES    prints {key: [fingerprint, CPU milliseconds of five runs in one instance]}
//   node node.mjs run ENGINE.wasm < STATES     prints {key: fingerprint}, and the time of each on stderr
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

async function load(file) {
  const made = await build({ entryPoints: [join(here, "src", file)], bundle: true, write: false, format: "esm", target: "es2022" });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].text).toString("base64")}`);
}

const [verb, engine] = process.argv.slice(2);
if (verb === "states") {
  const { states } = await load("states.ts");
  process.stdout.write(JSON.stringify(states()));
} else if (verb === "run" && engine !== undefined) {
  const { Engine } = await load("engine.ts");
  const module = await WebAssembly.compile(readFileSync(engine));
  const one = new Engine(new WebAssembly.Instance(module, {}));
  const found = {};
  for (const { key, run } of JSON.parse(readFileSync(0, "utf8"))) {
    const began = performance.now();
    one.open(run);
    while (!one.step(50_000));
    found[key] = one.finish().fingerprint;
    console.error(`${key}: ${Math.round(performance.now() - began)} ms`);
  }
  process.stdout.write(JSON.stringify(found));
} else if (verb === "time" && engine !== undefined) {
  const { Engine } = await load("engine.ts");
  const module = await WebAssembly.compile(readFileSync(engine));
  const found = {};
  for (const { key, run } of JSON.parse(readFileSync(0, "utf8"))) {
    const one = new Engine(new WebAssembly.Instance(module, {}));
    const spent = [];
    for (let again = 0; again < 5; again += 1) {
      one.open(run);
      const began = process.cpuUsage();
      while (!one.step(50_000));
      const { user, system } = process.cpuUsage(began);
      spent.push(Math.round((user + system) / 1e3));
      found[key] = [one.finish().fingerprint, spent];
    }
  }
  process.stdout.write(JSON.stringify(found));
} else {
  console.error("usage: node node.mjs states | node node.mjs run ENGINE.wasm < STATES | node node.mjs time ENGINE.wasm < STATES");
  process.exit(2);
}
