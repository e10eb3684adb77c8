import { defineConfig } from "@playwright/test";
import base from "../playwright.config";

/** Makes the pictures of the README from the running program: npm run screenshots. */
export default defineConfig({
  ...base,
  testDir: ".",
  outputDir: "../test-results",
  testMatch: "screenshots.ts",
  globalSetup: "../e2e/build.ts",
  use: { ...base.use, viewport: { width: 1280, height: 860 }, deviceScaleFactor: 2 },
});
