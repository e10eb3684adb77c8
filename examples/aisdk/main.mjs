// Talks to Nestor with the stock AI SDK:
//
//	npm install
//	NESTOR_URL=http://127.0.0.1:8787 NESTOR_KEY=nst_… node main.mjs "Book a table for two" "Friday at 8"
//
// The first argument is what is said. Others answer what is asked on the way; questions
// about calls are answered by yes or no. In a page useChat does what this does by hand:
//
//	useChat({ transport, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
import { DefaultChatTransport, readUIMessageStream } from "ai";

const { NESTOR_URL = "http://127.0.0.1:8787", NESTOR_KEY, PARTICIPANT = "orchestrator" } = process.env;
const transport = new DefaultChatTransport({
  api: `${NESTOR_URL}/aisdk/${PARTICIPANT}`,
  headers: { Authorization: `Bearer ${NESTOR_KEY}` },
});

const chatId = crypto.randomUUID(); // the same name goes on with the same chat
const [said, ...answers] = process.argv.slice(2);
const question = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: said ?? "Compute 6*7" }] };

// send sends the messages and returns the one that the assistant adds or goes on with.
async function send(answer) {
  const messages = answer ? [question, answer] : [question];
  const stream = await transport.sendMessages({ chatId, messages, trigger: "submit-message", messageId: undefined, abortSignal: undefined });
  for await (const message of readUIMessageStream({ message: answer, stream, terminateOnError: true })) answer = message;
  return answer;
}

// settle answers what a part asks, and reports whether it asks something.
function settle(part) {
  if (part.state === "approval-requested") {
    const approved = answers.shift() === "yes";
    console.log(`? May ${part.toolName} be called with ${JSON.stringify(part.input)}? ${approved ? "yes" : "no"}`);
    Object.assign(part, { state: "approval-responded", approval: { ...part.approval, approved } });
    return true;
  }
  if (part.type === "tool-ask_user" && part.state === "input-available") {
    const output = answers.shift() ?? "I do not know.";
    console.log(`? ${part.input.question} ${output}`);
    Object.assign(part, { state: "output-available", output });
    return true;
  }
  return false;
}

let answer = await send();
while (answer.parts.filter(settle).length > 0) answer = await send(answer);
for (const part of answer.parts) {
  if (part.type === "text") console.log(part.text);
  if (part.type === "dynamic-tool") console.log(`[${part.toolName} ${JSON.stringify(part.input)} → ${part.output ?? part.errorText}]`);
  if (part.type === "data-agent") console.log(`[${part.data.role} ${part.data.status}]`);
}
console.log(`[${answer.metadata.status}, ${answer.metadata.usage?.outputTokens ?? 0} tokens said]`);
