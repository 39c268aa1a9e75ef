// No line of the sources is longer than 120 characters; says which are, and fails.
import { readFileSync, readdirSync } from "node:fs";

const MOST = 120;
const root = new URL("..", import.meta.url);
const names = ["index.html", "vite.config.js", "eslint.config.js"];
for (const folder of ["src", "test"])
  names.push(...readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`));
const long = names.flatMap((name) =>
  readFileSync(new URL(name, root), "utf8")
    .split("\n")
    .flatMap((line, i) =>
      line.length > MOST ? [`${name}:${i + 1}: ${line.length} characters`] : [],
    ),
);
if (long.length) {
  process.stderr.write(`${long.join("\n")}\n`);
  process.exitCode = 1;
}
