// An orchestrator: it answers what a person says in a chat and, if the model
// wants to, gives work to an agent. Answer and task are written together.
import { reply } from "./model.mjs";
import { serve } from "./nestor.mjs";

const system = "You talk to a person. Answer what you can. Give calculations to an agent with create_agent, and say so in a sentence.";
const tools = [
  {
    name: "create_agent",
    description: "Have an agent carry out a task. Its result is reported in the chat.",
    parameters: { type: "object", properties: { instruction: { type: "string" } }, required: ["instruction"] },
  },
];

serve(process.env.PORT ?? 9091, async ({ nestor, path, documentId }) => {
  const chat = path.split("/").slice(0, 4).join("/");
  // Ids derive from what is answered. So whoever does it again, after a crash or
  // beside us, meets what was written instead of doubling it.
  const answer = `${chat}/messages/${documentId}-answer`;
  const message = await nestor.get(path);
  if (!message || (await nestor.get(answer))) return; // it is gone, or answered

  const history = (await nestor.list(`${chat}/messages`)).filter((m) => m.createdAt <= message.createdAt && m.isLlmMessage !== false);
  const draft = nestor.draft(answer);
  let content = "";
  const calls = [];
  for await (const piece of reply(system, history, tools)) {
    if (piece.call) calls.push(piece.call);
    else draft.say(piece);
    content += piece.text ?? "";
  }
  await draft.said();

  const operations = [
    {
      op: "create",
      path: answer,
      body: { role: "assistant", type: "text", content: content || "I hand this to an agent.", isLlmMessage: true, repliesTo: message.id },
    },
  ];
  for (const [i, call] of calls.entries()) {
    operations.push({
      op: "create",
      path: `${chat}/tasks/${documentId}-task-${i}`,
      body: { type: "agent", name: "agent:general", instruction: call.args.instruction, status: "pending", triggerMessageId: message.id },
    });
  }
  try {
    await nestor.batch(`${documentId}-answer`, operations);
  } catch (error) {
    if (error.status === 409 && (await nestor.get(answer))) return; // another attempt was faster
    throw error;
  }
});
