// An agent loop: one step of an agent each time it is told something. What the
// model says, the calls it makes and where the agent stands are written together,
// on the agent as it was read: if that has changed meanwhile, the step is refused
// and thought out anew.
import { reply } from "./model.mjs";
import { serve } from "./nestor.mjs";

const tools = [
  {
    name: "calculator",
    description: "Computes an expression such as 6*7.",
    parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  },
];

serve(process.env.PORT ?? 9092, async (delivery) => {
  const { nestor } = delivery;
  const path = delivery.path.split("/").slice(0, 6).join("/"); // of the agent, also if a message woke it
  for (;;) {
    try {
      return await step(nestor, path);
    } catch (error) {
      // 412: somebody changed the agent, for example stopped it. 409: another
      // attempt has made this step. Either way what is there now decides.
      if (error.status !== 412 && error.status !== 409) throw error;
    }
  }
});

async function step(nestor, path) {
  const agent = await nestor.get(path);
  if (agent?.status !== "active" || agent.paused) return;
  const messages = await nestor.list(`${path}/messages`);
  const newest = unseen(messages);
  if (!newest) return;

  // Ids derive from what the step answers, not from the job: jobs of the loop
  // coalesce, so one that is delivered again may be there for the next step.
  const id = `${newest.id}-reply`;
  const draft = nestor.draft(`${path}/messages/${id}`);
  const system = messages.find((m) => m.role === "system")?.content ?? "";
  const last = agent.iterationLimit && agent.iterationCount >= agent.iterationLimit;
  let content = "";
  const calls = [];
  for await (const piece of reply(system, messages, last ? [] : tools)) {
    if (piece.call) calls.push(piece.call);
    else draft.say(piece);
    content += piece.text ?? "";
  }
  await draft.said();

  const callId = (i) => `${newest.id}-call-${i}`;
  const toolCalls = calls.map((call, i) => ({
    id: callId(i),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  const steps = { iterationCount: agent.iterationCount + 1 };
  const operations = [
    { op: "create", path: `${path}/messages/${id}`, body: { role: "assistant", content, toolCalls, repliesTo: newest.id } },
  ];
  for (const [i, call] of calls.entries()) {
    // Nestor's tool runner checks the call and carries it out. Its result is a
    // message to the agent, which wakes this loop.
    operations.push({
      op: "create",
      path: `${path}/tool-calls/${callId(i)}`,
      body: { toolName: call.name, args: call.args, status: "pending", messageId: id },
    });
  }
  if (calls.length > 0) {
    operations.push({ op: "patch", path, body: steps, ifMatch: agent.version });
  } else {
    const task = `${path.split("/").slice(0, 4).join("/")}/tasks/${agent.taskId}`;
    operations.push(
      { op: "patch", path, body: { ...steps, status: "completed", summary: content.slice(0, 200) }, ifMatch: agent.version },
      { op: "patch", path: task, body: { status: "success", result: content, endedAt: Date.now() } },
    );
  }
  await nestor.batch(id, operations);
}

// unseen is the newest message that the model has not seen, undefined while a call
// is still open or if there is none: then there is nothing to do.
function unseen(messages) {
  const answered = new Set(messages.filter((m) => m.role === "tool").map((m) => m.toolCallId));
  if (messages.some((m) => m.toolCalls?.some((call) => !answered.has(call.id)))) return undefined;
  const seen = messages.findLast((m) => m.role === "assistant")?.repliesTo;
  const from = messages.findIndex((m) => m.id === seen) + 1;
  return messages.slice(from).findLast((m) => m.role === "user" || m.role === "tool");
}
