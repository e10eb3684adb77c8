import type { Page } from "@playwright/test";

/** What a page of a graph has. */

export const node = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);
export const pane = (page: Page) => page.locator(".react-flow__pane");
export const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });
export const run = (page: Page) => page.getByRole("region", { name: "Run", exact: true });
export const saved = (page: Page) => page.locator("header").getByRole("status");
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
