import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { defineConfig } from "vite";

// A fingerprint of the sources beside the built files: a test sees when somebody forgot to build.
function fingerprint() {
  const names = [
    "index.html",
    "package.json",
    "vite.config.js",
    ...readdirSync("src").map((name) => `src/${name}`),
  ].sort();
  const hash = createHash("sha256");
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(name));
  return hash.digest("hex");
}

// One script and one style sheet with fixed names: the server knows four files, the report inlines two of them.
export default defineConfig({
  base: "./",
  plugins: [
    {
      name: "fingerprint",
      generateBundle() {
        this.emitFile({ type: "asset", fileName: "sources.sha256", source: `${fingerprint()}\n` });
      },
    },
  ],
  publicDir: "public",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: {
        entryFileNames: "studio.js",
        assetFileNames: "studio[extname]",
        codeSplitting: false,
      },
    },
  },
});
