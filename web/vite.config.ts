import { rmSync } from "node:fs";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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
  plugins: [react(), tailwindcss(), clean],
  build: {
    outDir,
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    target: "es2022",
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
