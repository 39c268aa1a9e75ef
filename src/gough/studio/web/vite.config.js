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

const fingerprinted = {
  name: "fingerprint",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "sources.sha256", source: `${fingerprint()}\n` });
  },
};

// The report is inlined with the studio's style sheet: its own build leaves none behind.
const noStyle = {
  name: "no-style",
  enforce: "post",
  generateBundle(_, bundle) {
    for (const name of Object.keys(bundle)) if (name.endsWith(".css")) delete bundle[name];
  },
};

const shared = {
  outDir: "../dist",
  target: "es2022",
  modulePreload: false,
  cssCodeSplit: false,
  assetsInlineLimit: 0,
  chunkSizeWarningLimit: 1000,
};

// The studio: studio.js, and viewer.js with the 3D view, loaded when the page has answered; fixed names, the server
// knows each.  The report (`--mode report`): report.js alone, everything in it.
export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: mode === "report" ? [noStyle] : [fingerprinted],
  publicDir: mode === "report" ? false : "public",
  build:
    mode === "report"
      ? {
          ...shared,
          emptyOutDir: false,
          rollupOptions: {
            input: "src/report_page.js",
            output: { entryFileNames: "report.js", codeSplitting: false },
          },
        }
      : {
          ...shared,
          emptyOutDir: true,
          rollupOptions: {
            output: {
              entryFileNames: "studio.js",
              chunkFileNames: "[name].js",
              assetFileNames: "studio[extname]",
            },
          },
        },
}));
