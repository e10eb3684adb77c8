import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";

/** Playwright switches these off, too: of several --disable-features Chromium heeds the last. */
const disabledByPlaywright = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "OptimizationHints",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
];

/** The address bar, which nobody sees here, loads two pages of its own beside each page: a quarter of all time. */
const addressBar = ["WebUIOmniboxAimPopup", "WebUIOmniboxPopup", "SpareRendererForSitePerProcess"];

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/build.ts",
  outputDir: "test-results",
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: Math.min(2, availableParallelism()), // a browser and a server keep a processor busy
  fullyParallel: true,
  projects: [
    { name: "pages", grepInvert: /@timing/ },
    // What is measured is measured alone, in a run of its own.
    { name: "timing", grep: /@timing/, workers: 1 },
  ],
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        `--disable-features=${[...disabledByPlaywright, ...addressBar].join()}`,
      ],
    },
  },
});
