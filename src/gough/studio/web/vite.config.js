import { defineConfig } from "vite";

// One script and one style sheet with fixed names: the server knows four files, the report inlines two of them.
export default defineConfig({
  base: "./",
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
