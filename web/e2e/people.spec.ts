import { enter, expect, shot, test, unauthorised } from "./fixtures";

test("an administrator adds a user, makes them an administrator, disables and deletes them", async ({
  page,
  demo,
}) => {
  await enter(page, demo, "/operations/users");
  await expect(page.getByRole("row", { name: /local/ })).toContainText("(you)");
  await page.getByText("Add a user").click();
  await page.getByLabel("Name", { exact: true }).fill("ada");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const row = page.getByRole("row", { name: /ada@example\.com/ });
  await expect(row).toContainText("User");
  await shot(page, "users");
  await row.getByRole("button", { name: "Make admin" }).click();
  await expect(row).toContainText("Administrator");
  await row.getByRole("button", { name: "Disable" }).click();
  await row.getByRole("button", { name: "Sign out and disable?" }).click();
  await expect(row).toContainText("Disabled");
  await row.getByRole("button", { name: "Delete" }).click();
  await row.getByRole("button", { name: "Delete with all their data?" }).click();
  await expect(row).toHaveCount(0);
  const { items } = await demo.api<{ items: { id: string }[] }>("GET", "/users");
  expect(items.map((u) => u.id)).toEqual(["local"]);
});

test.describe("a name that is taken", () => {
  test.use({ provoked: /status of 409/ });

  test("is refused where it was said", async ({ page, demo }) => {
    await demo.api("POST", "/users", { id: "ada", password: "correct horse battery" });
    await enter(page, demo, "/operations/users");
    await page.getByText("Add a user").click();
    await page.getByLabel("Name", { exact: true }).fill("ada");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await expect(page.getByRole("alert")).toContainText("exists already");
    await expect(page.getByLabel("Name", { exact: true })).toHaveValue("ada");
  });
});

test("a key is created, shown once, works, and is revoked", async ({ page, demo }) => {
  await enter(page, demo, "/operations/keys");
  await expect(page.getByText("You have no keys.")).toBeVisible();
  await page.getByText("Create a key").click();
  await page.getByLabel("Name", { exact: true }).fill("backup");
  await page.getByText("Read and write").click();
  await page.getByLabel("Only these documents").fill("users/local/notes/**");
  await page.getByText("A year").click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const key = await page.getByRole("status").locator("code").textContent();
  await shot(page, "keys");
  const me = () => fetch(`${demo.url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
  expect((await me()).status).toBe(200);
  await page.reload();
  const row = page.getByRole("row", { name: /backup/ });
  await expect(row).toContainText("users/local/notes/**");
  await expect(page.getByText(key ?? "")).toHaveCount(0);
  await row.getByRole("button", { name: "Revoke" }).click();
  await row.getByRole("button", { name: "Revoke for good?" }).click();
  await expect(page.getByText("You have no keys.")).toBeVisible();
  expect((await me()).status).toBe(401);
});

test.describe("who is not an administrator", () => {
  test.use({ provoked: unauthorised });

  test("sees only what is theirs", async ({ page, demo }) => {
    await demo.api("POST", "/users", { id: "ada", password: "correct horse battery" });
    await page.goto(`${demo.url}/operations/jobs`);
    await page.getByLabel("Name or e-mail").fill("ada");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Sign in" }).click();
    const tabs = page.getByRole("navigation", { name: "Operations" }).getByRole("link");
    await expect(tabs).toHaveText(["Runs", "Models", "Tools", "Usage", "Metrics", "Keys"]);
    await expect(page.getByText("Nothing has run yet.")).toBeVisible();
    await page.getByRole("link", { name: "Models" }).click();
    await expect(page.getByRole("table", { name: "Model connections" })).toBeVisible();
    await page.getByRole("link", { name: "Tools" }).click();
    await expect(page.getByRole("region", { name: "calculator" })).toBeVisible();
    await expect(page.getByText("Try it")).toHaveCount(0);
  });
});
