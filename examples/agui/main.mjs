// Talks to Nestor with the stock client of AG-UI:
//
//	npm install
//	NESTOR_URL=http://127.0.0.1:8787 NESTOR_KEY=nst_… node main.mjs "Book a table for two" "Friday at 8"
//
// The first argument is what is said. Others answer what is asked on the way; questions
// about calls are answered by yes or no.
import { HttpAgent } from "@ag-ui/client";

const { NESTOR_URL = "http://127.0.0.1:8787", NESTOR_KEY, PARTICIPANT = "orchestrator" } = process.env;
const agent = new HttpAgent({
  url: `${NESTOR_URL}/agui/${PARTICIPANT}`,
  headers: { Authorization: `Bearer ${NESTOR_KEY}` },
  threadId: crypto.randomUUID(), // the same name goes on with the same thread
});

const shown = {
  onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta),
  onTextMessageEndEvent: () => console.log(),
  onEvent: ({ event }) => {
    if (event.type === "SUBAGENT_STARTED") console.log(`[${event.name} begins]`);
    if (event.type === "SUBAGENT_FINISHED") console.log(`[${event.outcome.type}]`);
  },
  onToolCallEndEvent: ({ toolCallName, toolCallArgs }) => console.log(`[${toolCallName} ${JSON.stringify(toolCallArgs)}]`),
  onToolCallResultEvent: ({ event }) => console.log(`[→ ${event.content}]`),
  onRunErrorEvent: ({ event }) => console.error(event.message),
};

const [said, ...answers] = process.argv.slice(2);
agent.addMessage({ id: crypto.randomUUID(), role: "user", content: said ?? "Compute 6*7" });
await agent.runAgent({}, shown);
while (agent.pendingInterrupts.length > 0) {
  const resume = agent.pendingInterrupts.map((asked) => {
    const answer = answers.shift();
    console.log(`? ${asked.message} ${answer ?? "(no answer)"}`);
    if (answer === undefined) return { interruptId: asked.id, status: "cancelled" };
    return { interruptId: asked.id, status: "resolved", payload: asked.reason === "input_required" ? answer : answer === "yes" };
  });
  await agent.runAgent({ resume }, shown);
}
console.log(`[${agent.state.run.status}, ${agent.state.usage?.outputTokens ?? 0} tokens said]`);
