import { rmSync } from "node:fs";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { quietDeletion, quietStorage, smallFonts } from "./scripts/libraries";

const outDir = "../internal/webui/dist";

/** Removes the last build, but not the file that keeps the folder in git. */
const clean: Plugin = {
  name: "clean",
  apply: "build",
  buildStart() {
    rmSync(`${outDir}/assets`, { recursive: true, force: true });
  },
};

/** In development a server at NESTOR_URL answers the API, with NESTOR_TOKEN. */
const server = process.env.NESTOR_URL ?? "http://127.0.0.1:8787";
const token = process.env.NESTOR_TOKEN;

export default defineConfig({
  base: "./", // the server says in the page at which path it is; scripts and styles find each other
  plugins: [react(), tailwindcss(), clean, quietStorage, quietDeletion, smallFonts],
  build: {
    outDir,
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    target: "es2022",
    assetsInlineLimit: 0, // the content policy allows no fonts in addresses
    rolldownOptions: {
      input: ["index.html", "diagram.html"],
      output: {
        // What is of libraries alone and loaded on demand, such as a language: the service worker does not keep it ahead.
        chunkFileNames: ({ moduleIds }) =>
          moduleIds.every((id) => id.includes("node_modules"))
            ? "assets/lib-[name]-[hash].js"
            : "assets/[name]-[hash].js",
      },
    },
  },
  server: {
    proxy: {
      "/api": {
        target: server,
        changeOrigin: true,
        headers: token ? { Authorization: `Bearer ${token}` } : {},
      },
    },
  },
});
