import type { Locator, Page } from "@playwright/test";
import { node, press, run, saved, tab } from "./editor";
import { enter, expect, shot, test } from "./fixtures";

const chains = 20;
const links = 14;
const groups = 5; // of four chains, as many as a node joins

/** Chains of nodes that each add a point to a text, and what comes of them, four and four together. */
function largeGraph() {
  const nodes: { id: string; nodeId: string; parameters?: Record<string, unknown> }[] = [
    { id: "start", nodeId: "on-start" },
  ];
  const edges: Record<string, string>[] = [];
  const connect = (from: string, to: string) => {
    const [sourceNodeId = "", sourcePortId = ""] = from.split(".");
    const [targetNodeId = "", targetPortId = ""] = to.split(".");
    edges.push({ sourceNodeId, sourcePortId, targetNodeId, targetPortId });
  };
  for (let g = 0; g < groups; g++) {
    nodes.push({ id: `join${g}`, nodeId: "join", parameters: { separator: " " } });
    nodes.push({ id: `out${g}`, nodeId: "output", parameters: { name: `group${g}` } });
    connect(`join${g}.done`, `out${g}.run`);
    connect(`join${g}.text`, `out${g}.value`);
  }
  for (let c = 0; c < chains; c++) {
    nodes.push({ id: `text${c}`, nodeId: "input-constant-string", parameters: { value: `chain ${c}` } });
    for (let i = 0; i < links; i++) {
      nodes.push({ id: `c${c}-${i}`, nodeId: "map", parameters: { expression: 'value + "."' } });
      connect(i === 0 ? "start.signal" : `c${c}-${i - 1}.done`, `c${c}-${i}.run`);
      connect(i === 0 ? `text${c}.value` : `c${c}-${i - 1}.result`, `c${c}-${i}.value`);
    }
    const join = `join${Math.floor(c / 4)}`;
    connect(`c${c}-${links - 1}.done`, `${join}.run`);
    connect(`c${c}-${links - 1}.result`, `${join}.${"abcd"[c % 4]}`);
  }
  return { name: "Large", maxResolutions: 1000, nodes, edges };
}

/** Where nodes are on the screen. */
const boxes = (page: Page) =>
  page.locator("[data-node]").evaluateAll((all) =>
    all.map((el) => {
      const { left, right, top, bottom } = el.getBoundingClientRect();
      return { id: el.getAttribute("data-node"), left, right, top, bottom };
    }),
  );

/** Nodes that lie on another one. */
async function overlapping(page: Page): Promise<string[]> {
  const all = await boxes(page);
  return all.flatMap((a, i) =>
    all
      .slice(i + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.id} and ${b.id}`),
  );
}

/** Drags what is shown. */
async function drag(page: Page, what: Locator, by: { x: number; y: number }): Promise<void> {
  const box = await what.boundingBox();
  if (!box) {
    throw new Error("it cannot be seen");
  }
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 4];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by.x, y + by.y, { steps: 10 });
  await page.mouse.up();
}

test("a graph of 300 nodes is imported, arranged, changed, saved and run", async ({ page, demo }) => {
  test.setTimeout(180_000); // for a machine that has much else to do
  const graph = largeGraph();
  await enter(page, demo, "/graphs");
  await press(page, "New graph");
  await expect(page.getByText("Drag a node type here")).toBeVisible();
  const buffer = Buffer.from(JSON.stringify(graph));
  const file = { name: "large.json", mimeType: "application/json", buffer };
  await page.getByLabel("Graph to import").setInputFiles(file);
  await expect(page.locator("[data-node]")).toHaveCount(graph.nodes.length, { timeout: 60_000 });
  await expect(page.locator(".react-flow__edge")).toHaveCount(graph.edges.length);
  await expect(page.getByRole("region", { name: "Problems" })).toContainText("No problems");

  expect(await overlapping(page)).not.toEqual([]); // the file says nothing of places
  await press(page, "Arrange the nodes");
  await expect.poll(() => overlapping(page)).toEqual([]);
  for (const id of ["start", "text0", "out0", `out${groups - 1}`, `c${chains - 1}-0`]) {
    await expect(node(page, id)).toBeInViewport({ ratio: 0.99 }); // the whole graph is shown
  }
  await shot(page, "graphs-large");

  const moved = page.locator('.react-flow__node[data-id="c7-5"]');
  const place = () => moved.evaluate((el) => el.style.transform);
  const before = await place();
  await drag(page, moved, { x: 60, y: -40 });
  await expect.poll(place).not.toBe(before);
  await page.keyboard.press("Control+z");
  await expect.poll(place).toBe(before);

  const palette = page.getByRole("region", { name: "Node types" });
  await palette.getByLabel("Search node types").fill("debug");
  await expect(palette.getByRole("button")).toHaveText([/debug-log/]);

  await press(page, "Save");
  await expect(saved(page)).toHaveText("Saved");
  await tab(page, "Run").click();
  await press(page, "Run");
  await expect(run(page)).toHaveAttribute("data-run-status", "completed", { timeout: 60_000 });
  await expect(page.locator('[data-node][data-status="completed"]')).toHaveCount(graph.nodes.length);
  const end = (c: number) => `chain ${c}${".".repeat(links)}`;
  for (let g = 0; g < groups; g++) {
    await expect(run(page)).toContainText([0, 1, 2, 3].map((i) => end(4 * g + i)).join(" "));
  }
});
