import { Buffer } from "node:buffer";
import type { Page } from "@playwright/test";
import { enter, expect, say, shot, test } from "./fixtures";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const picture = { name: "photo.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") };

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

test.describe("a file that is refused", () => {
  test.use({ provoked: /status of 400/ });

  test("says why, and is not sent", async ({ page, demo }) => {
    await enter(page, demo);
    await page.getByLabel("Files to attach").setInputFiles({
      name: "program.png",
      mimeType: "image/png",
      buffer: Buffer.from("\x7fELF\x02\x01\x01\x00", "latin1"),
    });
    await expect(page.getByRole("alert")).toContainText("cannot be attached");
    await expect(page.getByRole("button", { name: "Send" })).toBeDisabled();
    await page.getByRole("button", { name: "Remove program.png" }).click();
    await say(page, "Hello");
    await expect(page.getByRole("article", { name: "You", exact: true })).toHaveText(/^Hello/);
  });
});
