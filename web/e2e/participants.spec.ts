import { callThenFinish } from "./agents";
import { enter, expect, inspector, say, shot, test } from "./fixtures";
import { gate } from "./model";

test("a chat talks to an agent, whose calls are in the chat, and then to a model", async ({
  page,
  scripted,
  model,
}) => {
  const asked: string[] = [];
  model.script = (a) => {
    asked.push(a.part);
    return a.part === "agent"
      ? callThenFinish("calculator", { expression: "6*7" })(a)
      : { pieces: ["Plain."] };
  };
  await enter(page, scripted);
  await page.getByRole("combobox", { name: "Participant" }).selectOption("agent:general");
  await page.getByRole("button", { name: "System prompt" }).click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief.");
  await shot(page, "new-talk");
  await say(page, "What is 6*7?");
  const calls = page.getByRole("article", { name: "Tool calls" });
  await expect(calls).toContainText("42");
  await expect(page.getByRole("article", { name: "Nestor" })).toContainText("Settled.");
  await expect(page.locator("[data-task]")).toHaveCount(0);
  expect(asked).not.toContain("orchestrator");
  await calls.getByText("calculator").click();
  await shot(page, "talk-with-an-agent");
  await calls.getByRole("link", { name: "Look inside the agent" }).click();
  await expect(inspector(page)).toContainText("Be brief.");
  await page.goBack();

  await page.getByRole("combobox", { name: "Participant" }).selectOption("model:default");
  await page.getByRole("button", { name: "System prompt" }).click();
  await expect(page.getByRole("textbox", { name: "System prompt" })).toHaveValue("Be brief.");
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be long.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("textbox", { name: "System prompt" })).toHaveCount(0);
  await say(page, "And now?");
  await expect(page.getByRole("article", { name: "Nestor" }).last()).toContainText("Plain.");
});

test("an agent's answer streams into the chat, and a stop keeps what it said", async ({
  page,
  scripted,
  model,
}) => {
  const held = gate();
  model.script = () => ({ pieces: ["Half of it", held.opened, " and the rest."] });
  await enter(page, scripted);
  await page.getByRole("combobox", { name: "Participant" }).selectOption("agent:general");
  await say(page, "Tell me.");
  await expect(page.getByRole("article", { name: "Nestor is writing" })).toContainText("Half of it");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText("Stopped.")).toBeVisible();
  await expect(page.getByRole("article", { name: "Nestor" })).toContainText("Stopped.");
  await expect(page.getByRole("article", { name: "Nestor" })).toContainText("Half of it");
  held.open();
  await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
});
