import { createGraph, listGraphs, listTemplates, runGraph } from "../api/graphs";
import { addText, analyse, createOutcome, listDocuments, listOutcomes } from "../api/priorities";
import { graphRunPath, pages } from "../place";
import { words } from "../words";

/** What the examples of the first page make that are no chat. Each tells where it is to be seen. */

const say = words.firstrun.plan;

/** A plan for somebody who has no outcome yet; others see what they have. */
export async function samplePlan(): Promise<string> {
  if ((await listOutcomes()).length === 0) {
    await createOutcome({
      direction: "launch",
      ...say.outcome,
      state_preference: null,
      daily_capacity_hours: null,
    });
    const { id } = await addText(say.document, say.tasks);
    await processed(id);
    await analyse();
  }
  return pages.priorities;
}

const pause = 200;
const patience = 50; // pauses

/** Waits until the tasks of a document are found. A server that has much to do is not waited for. */
async function processed(id: string): Promise<void> {
  for (let n = 0; n < patience; n++) {
    const found = (await listDocuments()).find((d) => d.id === id);
    if (found?.status !== "queued" && found?.status !== "processing") {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** A run of three agents at once, on a graph that is made once. */
export async function sampleGraph(): Promise<string> {
  const [templates, graphs] = await Promise.all([listTemplates(), listGraphs()]);
  const template = templates.find((t) => t.id === "research-fan-out");
  if (!template) {
    return pages.graphs;
  }
  const { id: _, input, ...doc } = template;
  const graph = graphs.find((g) => g.name === doc.name) ?? (await createGraph(doc));
  const run = await runGraph(graph.id, input);
  return graphRunPath(graph.id, run.id);
}
