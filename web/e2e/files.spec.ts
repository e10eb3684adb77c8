import { Buffer } from "node:buffer";
import type { Page } from "@playwright/test";
import { enter, expect, say, shot, test } from "./fixtures";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const picture = { name: "photo.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") };

const program = {
  name: "program.png",
  mimeType: "image/png",
  buffer: Buffer.from("\x7fELF\x02\x01\x01\x00", "latin1"),
};

/** Brings a file to the message field as a paste or a drop does. */
async function bring(page: Page, how: "paste" | "drop", name: string, type: string, data: string) {
  await page.getByRole("textbox", { name: "Message" }).evaluate(
    (field, [how, name, type, data]) => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type }));
      const event =
        how === "paste"
          ? new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true })
          : new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
      field.dispatchEvent(event);
    },
    [how, name, type, data] as const,
  );
}

/** Holds uploads back until the function that it returns is called. */
async function holdUploads(page: Page): Promise<() => void> {
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route("**/api/v1/files?*", async (route) => {
    await held;
    await route.continue();
  });
  return arrive;
}

const sentLater = "It is sent when the files are uploaded.";

test("files are attached by button, paste and drop, shown in the message and to the model", async ({
  page,
  scripted,
  model,
}) => {
  let seen = "";
  model.script = ({ part, messages }) => {
    if (part === "orchestrator") {
      seen = JSON.stringify(messages);
    }
    return { pieces: ["I see."] };
  };
  await enter(page, scripted);
  await page.getByLabel("Files to attach").setInputFiles(picture);
  await bring(
    page,
    "paste",
    "pasted.png",
    "image/png",
    Buffer.from(`${atob(pixel)}x`, "latin1").toString("base64"),
  );
  await bring(page, "drop", "notes.md", "text/markdown", Buffer.from("# Buy milk").toString("base64"));
  const list = page.getByRole("list", { name: "Attached files" });
  await expect(list.getByRole("listitem")).toHaveCount(3);
  await list.getByRole("button", { name: "Remove pasted.png" }).click();
  await say(page, "What is this?");

  const said = page.getByRole("article", { name: "You", exact: true });
  await expect(said).toContainText("What is this?");
  await expect(said.getByRole("img", { name: "photo.png" })).toBeVisible();
  await expect(said.getByRole("link", { name: /notes\.md/ })).toBeVisible();
  await expect
    .poll(() =>
      said.getByRole("img", { name: "photo.png" }).evaluate((i: HTMLImageElement) => i.naturalWidth),
    )
    .toBe(1);
  await expect(page.getByText("I see.")).toBeVisible();
  expect(seen).toContain(`data:image/png;base64,${pixel}`);
  expect(seen).toContain("# Buy milk");
  await expect(list).toHaveCount(0);
  await shot(page, "files");

  await page.reload();
  await expect(said.getByRole("img", { name: "photo.png" })).toBeVisible();
  const downloaded = page.waitForEvent("download");
  await said.getByRole("link", { name: /notes\.md/ }).click();
  expect((await downloaded).suggestedFilename()).toBe("notes.md");
});

test("what is sent before its files are uploaded goes when they are, without those removed meanwhile", async ({
  page,
  demo,
}) => {
  await enter(page, demo);
  const arrive = await holdUploads(page);
  const notes = { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Buy milk") };
  await page.getByLabel("Files to attach").setInputFiles([picture, notes]);
  await expect(page.getByLabel("Uploading")).toHaveCount(2);
  const said = page.getByRole("article", { name: "You", exact: true });
  const field = page.getByRole("textbox", { name: "Message" });
  await say(page, "Look");
  await expect(page.getByText(sentLater)).toBeVisible();
  await shot(page, "files-on-their-way");
  await field.press("End");
  await field.pressSequentially(" at"); // whoever goes on writing is not done
  await expect(page.getByText(sentLater)).toHaveCount(0);
  await field.press("Enter");
  await expect(page.getByText(sentLater)).toBeVisible();
  await page.getByRole("button", { name: "Remove photo.png" }).click();
  await expect(said).toHaveCount(0);
  arrive();
  await expect(said).toContainText("Look at");
  await expect(said.getByRole("link", { name: /notes\.md/ })).toBeVisible();
  await expect(said.getByRole("img")).toHaveCount(0);
  await expect(page.getByRole("list", { name: "Attached files" })).toHaveCount(0);
  await expect(field).toHaveValue("");
});

test.describe("a file that is refused", () => {
  test.use({ provoked: /status of 400/ });

  test("keeps what was sent with it from going, until it is removed", async ({ page, demo }) => {
    await enter(page, demo);
    const arrive = await holdUploads(page);
    await page.getByLabel("Files to attach").setInputFiles(program);
    await say(page, "Hello");
    await expect(page.getByText(sentLater)).toBeVisible();
    arrive();
    await expect(page.getByRole("alert")).toContainText("cannot be attached");
    await expect(page.getByText(sentLater)).toHaveCount(0);
    const said = page.getByRole("article", { name: "You", exact: true });
    await expect(said).toHaveCount(0);
    await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Hello");
    await page.getByRole("button", { name: "Remove program.png" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await expect(said).toHaveText(/^Hello/);
  });

  test("says why, and is not sent", async ({ page, demo }) => {
    await enter(page, demo);
    await page.getByLabel("Files to attach").setInputFiles(program);
    await expect(page.getByRole("alert")).toContainText("cannot be attached");
    await expect(page.getByRole("button", { name: "Send" })).toBeDisabled();
    await page.getByRole("button", { name: "Remove program.png" }).click();
    await say(page, "Hello");
    await expect(page.getByRole("article", { name: "You", exact: true })).toHaveText(/^Hello/);
  });
});
