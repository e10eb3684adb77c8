import type { Client, Message, ToolCall } from "../src/index.js";

/**
 * Creates a chat, says something, streams the answer, and watches the agent that
 * does the work. It returns what a person would see.
 */
export async function example(nestor: Client, say: string): Promise<string[]> {
  const seen: string[] = [];
  const chat = await nestor.createChat({ title: "Sums" });
  const said = await nestor.say(chat.id, { content: say });
  const drafts = new Map<string, string>();
  for await (const event of nestor.chatEvents(chat.id, { from: String(said.seq) })) {
    if (event.name === "delta" && event.data.kind === "text") {
      // A piece of a message that is being written: show it at once.
      const text = [...(drafts.get(event.data.path) ?? "")].slice(0, event.data.offset).join("");
      drafts.set(event.data.path, text + (event.data.text ?? ""));
    }
    if (event.name !== "change" || !event.data.document) continue;
    if (event.data.collection === "sub_agent_tool_calls") {
      const call = event.data.document as unknown as ToolCall;
      if (call.toolName === "calculator" && call.status === "success") seen.push(`calculator: ${call.result}`);
    }
    if (event.data.collection === "messages") {
      const message = event.data.document as unknown as Message;
      const draft = drafts.get(event.data.path);
      if (draft !== undefined && draft !== message.content) throw new Error(`streamed ${draft}, then came ${message.content}`);
      if (message.role === "assistant") seen.push(message.content);
      if (message.taskId) return seen; // the result of the agent is the last word
    }
  }
  return seen;
}
