import type { Page } from "@playwright/test";
import { enter, expect, say, shot, test, unreachable } from "./fixtures";
import { processorTime } from "./measure";
import { gate } from "./model";

const own = (page: Page) => page.getByRole("article", { name: "You", exact: true });
const answer = (page: Page) => page.getByRole("article", { name: "Nestor", exact: true });
const line = (page: Page) => page.getByRole("textbox", { name: "Message" });
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const stop = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });
/** The characters of a message as the page has them. */
const verbatim = (page: Page, n = 0) => own(page).nth(n).locator("[data-verbatim]");

const lines = (n: number) =>
  Array.from({ length: n }, (_, i) => `${i + 1}: ${"ab ".repeat(i % 7)}`).join("\n");

const texts = {
  code: 'func main() {\n\tif x := 1*2*3; x > 0 {\n\t\tfmt.Println("# <b>no</b> &amp; **bold**")\n\t}\n}\n',
  poem: "  Über allen Gipfeln\n  Ist Ruh,\n\n\n      In allen Wipfeln\n  Spürest du\n",
  table: "+-----+------+\n| a   |   b  |\n+-----+------+\n|   1 |   22 |\n+-----+------+",
  marks:
    "# x\n1*2*3 = 6, _a_ `b` ~~c~~ [d](e)\n> no quote\n- no list\n1. nor this\n<script>alert(1)</script>",
  arabic: "مرحبا بالعالم\nHello شكرا 123",
  emoji: "👩‍👩‍👧‍👦 🇩🇪 e\u0301 \u200b\u00a0end  ",
};

test("what one wrote is what one sees, what the model is told, and what is copied", async ({
  page,
  scripted,
  model,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const told: unknown[] = [];
  model.script = ({ messages }) => {
    told.push(messages.at(-1)?.content);
    return { pieces: ["Seen."] };
  };
  await page.setViewportSize({ width: 1280, height: 2600 }); // all rows are in the page
  await enter(page, scripted);
  const all = Object.values(texts);
  for (const [n, text] of all.entries()) {
    await line(page).fill(text);
    await page.keyboard.press("Enter");
    await expect(answer(page)).toHaveCount(n + 1);
    await expect.poll(() => verbatim(page, n).evaluate((el) => el.textContent)).toBe(text);
    expect(JSON.stringify(told.at(-1))).toContain(JSON.stringify(text).slice(1, -1));
  }
  // Line breaks, spaces and tabs are seen, not only there.
  expect(await verbatim(page).evaluate((el) => getComputedStyle(el).whiteSpaceCollapse)).toBe("preserve");
  const height = await verbatim(page).evaluate((el) => el.getBoundingClientRect().height);
  const one = await verbatim(page).evaluate((el) => Number.parseFloat(getComputedStyle(el).lineHeight));
  expect(Math.round(height / one)).toBeGreaterThanOrEqual(5);
  const arabic = all.indexOf(texts.arabic);
  expect(await verbatim(page, arabic).evaluate((el) => getComputedStyle(el).direction)).toBe("rtl");
  await page.setViewportSize({ width: 1280, height: 1000 });
  await page.getByRole("log").evaluate((el) => {
    el.scrollTop = 0;
  });
  await shot(page, "verbatim");
  await page.setViewportSize({ width: 1280, height: 2600 });

  await page.reload();
  for (const [n, text] of all.entries()) {
    await expect.poll(() => verbatim(page, n).evaluate((el) => el.textContent)).toBe(text);
    await own(page).nth(n).hover();
    await own(page).nth(n).getByRole("button", { name: "Copy the message" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  }
});

test("only an empty message is refused, and addresses are links", async ({ page, demo }) => {
  await enter(page, demo);
  await line(page).fill(" \n\t ");
  await expect(send(page)).toBeDisabled();
  await page.keyboard.press("Enter");
  await expect(own(page)).toHaveCount(0);
  const text = "See https://a.example/x?y=(1). Not javascript:alert(1)";
  await say(page, text);
  const link = verbatim(page).getByRole("link");
  await expect(link).toHaveCount(1);
  await expect(link).toHaveAttribute("href", "https://a.example/x?y=(1)");
  await expect(link).toHaveAttribute("rel", /noopener/);
  await expect(verbatim(page)).toHaveText(text);
});

test("a long paste is folded, opens at once, stays open while one scrolls, and is sent whole", {
  tag: "@timing",
}, async ({ page, scripted, model, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  let told = "";
  model.script = (asked) => {
    told = asked.text;
    return { pieces: [`${"An answer.\n\n".repeat(60)}`] };
  };
  await enter(page, scripted);
  const text = lines(5000);
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await line(page).focus();
  await page.keyboard.press("Control+V");
  await page.keyboard.press("Enter");
  await expect(answer(page)).toHaveCount(1);
  expect(told).toContain("5000: ");
  const log = page.getByRole("log");
  const top = () =>
    log.evaluate((el) => {
      el.scrollTop = 0;
    });
  await expect
    .poll(async () => {
      await top();
      return own(page).count();
    })
    .toBe(1);
  await expect.poll(() => verbatim(page).evaluate((el) => el.textContent)).toBe(lines(12));
  await shot(page, "folded");
  const worked = await processorTime(page);
  const before = await worked();
  await page.getByRole("button", { name: "Show all 5,000 lines" }).click();
  await expect.poll(() => verbatim(page).evaluate((el) => el.textContent)).toBe(text);
  const opening = (await worked()) - before;
  console.log(`5,000 lines: the page worked ${Math.round(opening)} ms to show them`);
  expect(opening).toBeLessThan(500);

  await log.evaluate((el) => {
    el.scrollTop = el.scrollHeight;
  });
  await expect(own(page)).toHaveCount(0); // it is not in the page any more
  await top();
  await expect.poll(() => verbatim(page).evaluate((el) => el.textContent)).toBe(text);
  await log.evaluate((el) => {
    el.scrollTop = 5000 * 20;
  });
  await page.getByRole("button", { name: "Show less" }).press("Enter"); // rows may move below the pointer
  await expect.poll(() => verbatim(page).evaluate((el) => el.textContent)).toBe(lines(12));
  await expect(verbatim(page)).toBeInViewport();
});

test("a message is quoted, by keyboard and in part", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "First line\n  second line");
  await expect(answer(page)).toHaveCount(1);
  await line(page).fill("I mean");
  await own(page).getByRole("button", { name: "Quote" }).focus();
  await page.keyboard.press("Enter");
  await expect(line(page)).toHaveValue("I mean\n\n> First line\n>   second line\n\n");
  await expect(line(page)).toBeFocused();
  await page.keyboard.type("this.");
  await expect(line(page)).toHaveValue("I mean\n\n> First line\n>   second line\n\nthis.");

  await line(page).fill("");
  await verbatim(page).evaluate((el) => {
    const range = document.createRange();
    range.setStart(el.firstChild as Node, 0);
    range.setEnd(el.firstChild as Node, 5);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
  });
  await own(page).hover();
  await own(page).getByRole("button", { name: "Quote" }).click();
  await expect(line(page)).toHaveValue("> First\n\n");
});

test("a message is edited and sent again in a fork, and the way between both is there", async ({
  page,
  scripted,
  model,
}) => {
  const seen: string[] = [];
  model.script = ({ text }) => {
    seen.push(text);
    return { pieces: [`Answer ${seen.length}.`] };
  };
  await enter(page, scripted);
  await say(page, "Plan a trip");
  await expect(page.getByText("Answer 1.")).toBeVisible();
  await say(page, "To the  north\n\tby train");
  await expect(page.getByText("Answer 2.")).toBeVisible();
  const original = page.url();
  await own(page).nth(1).hover();
  await own(page).nth(1).getByRole("button", { name: "Edit and send again" }).click();
  const field = page.getByRole("textbox", { name: "Edit the message" });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("To the  north\n\tby train");
  await field.fill("To the  south\n\tby train");
  await shot(page, "editing");
  await page.reload(); // what is being written outlasts the page
  await expect(field).toHaveValue("To the  south\n\tby train");
  await field.press("Enter");

  const log = page.getByRole("log");
  await expect(log.getByText("Answer 3.")).toBeVisible();
  await expect(page).not.toHaveURL(original);
  await expect(log).toContainText("Answer 1.");
  await expect(log).not.toContainText("Answer 2.");
  await expect
    .poll(() => verbatim(page, 1).evaluate((el) => el.textContent))
    .toBe("To the  south\n\tby train");
  expect(seen[2]).toContain("Answer 1.");
  expect(seen[2]).not.toContain("north");
  const versions = page.getByRole("navigation", { name: "Versions of this message" });
  await expect(versions).toHaveText("2 of 2");
  await shot(page, "edited");
  await versions.getByRole("link", { name: "Earlier version" }).click();
  await expect(page).toHaveURL(original);
  await expect(log).toContainText("Answer 2."); // nothing of it is gone
  await expect(versions).toHaveText("1 of 2");
  await expect(field).toHaveCount(0);
  await versions.getByRole("link", { name: "Later version" }).click();
  await expect(log.getByText("Answer 3.")).toBeVisible();

  // The first message of all can be edited, too, and Esc leaves it as it is.
  await page.goto(original);
  await own(page).first().hover();
  await own(page).first().getByRole("button", { name: "Edit and send again" }).click();
  await field.press("Escape");
  await expect(field).toHaveCount(0);
  await own(page).first().getByRole("button", { name: "Edit and send again" }).click();
  await field.fill("Plan a feast");
  await page.keyboard.press("Enter");
  await expect(log.getByText("Answer 4.")).toBeVisible();
  await expect(own(page)).toHaveCount(1);
  expect(seen[3]).not.toContain("Plan a trip");
  await expect(versions).toHaveText("2 of 2");
});

test("an answer is given again in a fork, and the first one stays", async ({ page, scripted, model }) => {
  let n = 0;
  model.script = () => ({ pieces: [`Answer ${++n}.`] });
  await enter(page, scripted);
  await say(page, "Tell me\n  a story");
  await expect(page.getByText("Answer 1.")).toBeVisible();
  const original = page.url();
  await answer(page).hover();
  await answer(page).getByRole("button", { name: "Answer again" }).click();
  await expect(page.getByText("Answer 2.")).toBeVisible();
  await expect(page).not.toHaveURL(original);
  await expect.poll(() => verbatim(page).evaluate((el) => el.textContent)).toBe("Tell me\n  a story");
  await answer(page).hover();
  await answer(page).getByRole("button", { name: "Answer again" }).click();
  await expect(page.getByText("Answer 3.")).toBeVisible();
  const versions = page.getByRole("navigation", { name: "Versions of this message" });
  await expect(versions).toHaveText("3 of 3");
  await versions.getByRole("link", { name: "Earlier version" }).click();
  await expect(page.getByText("Answer 2.")).toBeVisible();
  await versions.getByRole("link", { name: "Earlier version" }).click();
  await expect(page).toHaveURL(original);
  await expect(page.getByText("Answer 1.")).toBeVisible();
});

test.describe("on a touch screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("what one can do about a message is there without a pointer", async ({ page, demo }) => {
    await enter(page, demo);
    await say(page, "Hello\n  there");
    await expect(answer(page)).toHaveCount(1);
    for (const [row, name] of [
      [own(page), "Copy the message"],
      [own(page), "Quote"],
      [own(page), "Edit and send again"],
      [answer(page), "Answer again"],
      [answer(page), "Copy the answer"],
    ] as const) {
      const button = row.getByRole("button", { name });
      await expect(button).toBeInViewport();
      const seen = await button.evaluate((el) => {
        let opacity = 1;
        for (let at: Element | null = el; at; at = at.parentElement) {
          opacity *= Number(getComputedStyle(at).opacity);
        }
        return { opacity, width: el.getBoundingClientRect().width };
      });
      expect(seen.opacity).toBe(1);
      expect(seen.width).toBeGreaterThanOrEqual(32);
    }
    await shot(page, "touch");
    await own(page).getByRole("button", { name: "Edit and send again" }).tap();
    await expect(page.getByRole("textbox", { name: "Edit the message" })).toHaveValue("Hello\n  there");
    await shot(page, "touch-editing");
  });
});

test("files are dropped anywhere on the conversation", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Hello");
  await expect(answer(page)).toHaveCount(1);
  const drag = (type: string) =>
    page.getByRole("log").evaluate((log, kind) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["# Buy milk"], "notes.md", { type: "text/markdown" }));
      log.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, type);
  await drag("dragover");
  await expect(page.getByText("Drop files anywhere here")).toBeVisible();
  await shot(page, "dropping");
  await drag("drop");
  await expect(page.getByText("Drop files anywhere here")).toHaveCount(0);
  const list = page.getByRole("list", { name: "Attached files" });
  await expect(list.getByRole("listitem")).toHaveText(/notes\.md/);
  await expect(list.getByLabel("Uploading")).toHaveCount(0);
  await page.reload();
  await expect(list.getByRole("listitem")).toHaveText(/notes\.md/);
});

test.describe("without the server", () => {
  test.use({ provoked: unreachable });

  test("an upload says what to do, and is done again", async ({ page, demo }) => {
    await enter(page, demo);
    await say(page, "Hello");
    await expect(answer(page)).toHaveCount(1);
    await demo.stop("SIGKILL");
    await page
      .getByLabel("Files to attach")
      .setInputFiles({ name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("milk") });
    await expect(page.getByRole("alert")).toContainText("Try again when it is back");
    await demo.start();
    await page.getByRole("button", { name: "Upload notes.md again" }).click();
    await expect(page.getByRole("button", { name: "Upload notes.md again" })).toHaveCount(0);
    await expect(page.getByLabel("Uploading")).toHaveCount(0);
    await say(page, "Look");
    await expect(
      own(page)
        .last()
        .getByRole("link", { name: /notes\.md/ }),
    ).toBeVisible();
  });

  test("stop takes a message back, as it was written", async ({ page, scripted, model }) => {
    const asked: string[] = [];
    model.script = ({ text }) => {
      asked.push(text);
      return { pieces: ["Well."] };
    };
    await enter(page, scripted);
    await say(page, "Hello");
    await expect(answer(page)).toHaveCount(1);
    await expect(stop(page)).toHaveCount(0); // the first run has ended
    await scripted.stop("SIGKILL");
    await expect(page.getByText("You are offline")).toBeVisible();
    await say(page, "  two\n\tlines");
    await expect(page.getByText("Sent when the server is back", { exact: true })).toBeVisible();
    await shot(page, "stop-unsent");
    await stop(page).click();
    await expect(line(page)).toHaveValue("  two\n\tlines");
    await expect(line(page)).toBeFocused();
    await expect(send(page)).toBeVisible();
    await expect(stop(page)).toHaveCount(0);
    await scripted.start();
    await expect(page.getByText("You are offline")).toHaveCount(0);
    await expect(line(page)).toHaveValue("  two\n\tlines");
    await page.keyboard.press("Enter");
    await expect(answer(page)).toHaveCount(2);
    expect(asked).toHaveLength(2);
  });

  test("stop is kept through a crash of the server and a reload", async ({ page, scripted, model }) => {
    const held = gate();
    model.script = () => ({ pieces: ["Half of it", held.opened, " and the rest."] });
    await enter(page, scripted);
    await say(page, "Tell me.");
    await expect(page.getByRole("article", { name: "Nestor is writing" })).toContainText("Half of it");
    await page.evaluate(() => navigator.serviceWorker.ready);
    await scripted.stop("SIGKILL");
    await expect(page.getByText("You are offline")).toBeVisible();
    await stop(page).click();
    await expect(stop(page)).toBeDisabled();
    await page.reload();
    model.script = () => ({ pieces: ["Once more, ", held.opened, "in full."] });
    await scripted.start();
    const chat = page.url().split("/").pop();
    await expect
      .poll(async () => {
        const { items } = await scripted.api<{ items: { status: string }[] }>("GET", `/runs?chatId=${chat}`);
        return items.map((r) => r.status);
      })
      .toEqual(["cancelled"]);
    held.open();
    await expect(page.getByText("Stopped.")).toBeVisible();
    await expect(stop(page)).toHaveCount(0);
    await expect(page.getByText("in full")).toHaveCount(0);
    await expect(own(page)).toContainText("Tell me.");
  });
});

test("stop works from the moment of sending, and Esc does the same", async ({ page, scripted, model }) => {
  const held = gate();
  model.script = () => ({ pieces: [held.opened, "Too late."] });
  await enter(page, scripted);
  await say(page, "Think about it");
  await expect(stop(page)).toBeVisible();
  await expect(send(page)).toHaveCount(0);
  await expect(page.getByRole("status").filter({ hasText: "Waiting for scripted" })).toBeVisible();
  await shot(page, "thinking");
  await line(page).fill("more"); // with words both are there, and Esc is for them
  await expect(send(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(stop(page)).toBeEnabled();
  await line(page).fill("");
  await page.keyboard.press("Escape");
  await expect(page.getByText("Stopped.")).toBeVisible();
  await expect(stop(page)).toHaveCount(0);
  await expect(send(page)).toBeVisible();
  await expect(page.getByText("Waiting for scripted")).toHaveCount(0);
  held.open();
  model.script = () => ({ pieces: ["Here I am."] });
  await say(page, "Go on");
  await expect(answer(page)).toContainText("Here I am.");
  await expect(page.getByText("Too late.")).toHaveCount(0);
});

test("stop while it is written leaves what was said, and says so", async ({ page, scripted, model }) => {
  const held = gate();
  model.script = () => ({ pieces: ["Half of it", held.opened, " and the rest."] });
  await enter(page, scripted);
  await say(page, "Tell me.");
  await expect(page.getByRole("article", { name: "Nestor is writing" })).toContainText("Half of it");
  await stop(page).click();
  await expect(answer(page)).toContainText("Half of it");
  await expect(answer(page)).toContainText("Stopped.");
  await expect(page.getByText("Stopped.")).toHaveCount(1);
  await shot(page, "stopped");
  held.open();
  await page.reload();
  await expect(answer(page)).toContainText("Half of it");
  await expect(answer(page)).not.toContainText("the rest");
});

test("stop while agents run ends them", async ({ page, scripted, model }) => {
  const held = gate();
  model.script = (asked) =>
    asked.part === "orchestrator"
      ? {
          pieces: ["I ask two."],
          calls: ["one", "two"].map((what) => ({
            name: "create_agent",
            args: { type: "general", instruction: `Do ${what}` },
          })),
        }
      : { pieces: [held.opened], calls: [{ name: "final_answer", args: { answer: "Done." } }] };
  await enter(page, scripted);
  await say(page, "Do both");
  await expect(page.locator("[data-task]")).toHaveCount(2);
  await expect(page.locator('[data-task][data-status="running"]')).toHaveCount(2);
  await stop(page).click();
  await expect(page.getByRole("button", { name: /0 of 2 done/ })).toContainText("2 cancelled");
  await expect(stop(page)).toHaveCount(0);
  held.open();
  await shot(page, "stopped-agents");
});

test("while nothing is said yet, what is waited for is told", async ({ page, scripted, model }) => {
  const status = page.getByRole("log").getByRole("status");
  await enter(page, scripted);
  model.script = () => ({ status: 429 });
  await say(page, "Hello");
  await expect(status).toContainText(/limits the rate: this model refuses; trying again/);
  await shot(page, "retrying");
  model.script = () => ({ pieces: ["Here."] });
  await expect(answer(page)).toContainText("Here.", { timeout: 30_000 });
  await expect(status).toHaveCount(0);

  await scripted.api("PATCH", "/triggers/on-user-message", { enabled: false });
  await say(page, "And now?");
  await expect(status).toContainText("the trigger on-user-message is switched off");
  await expect(stop(page)).toHaveCount(0); // nothing is under way
  await shot(page, "switched-off");
  await status.getByRole("link").click();
  await expect(page).toHaveURL(/operations\/triggers/);
});
