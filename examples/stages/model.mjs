// The model: a few rules that need no key or, with OPENAI_BASE_URL, any server
// that speaks OpenAI's format.

/**
 * What the model says to the messages of a chat or an agent: pieces with text or
 * reasoning as they come, and calls of tools as {call: {name, args}}.
 */
export function reply(system, messages, tools) {
  return process.env.OPENAI_BASE_URL ? askServer(system, messages, tools) : byRules(messages, tools);
}

async function* byRules(messages, tools) {
  const said = messages.findLast((m) => m.role === "user" || m.role === "tool");
  const sum = said.content.match(/\d+(\s*[-+*/]\s*\d+)+/)?.[0];
  if (said.role === "tool") {
    yield* words(`The result is ${said.content}.`);
  } else if (sum && tools[0]?.name === "create_agent") {
    yield* words("An agent computes that for you.");
    yield { call: { name: "create_agent", args: { instruction: said.content } } };
  } else if (sum && tools[0]?.name === "calculator") {
    yield { reasoning: "That is for the calculator." };
    yield* words(`Let me compute ${sum}.`);
    yield { call: { name: "calculator", args: { expression: sum } } };
  } else {
    yield* words(`You said: ${said.content}`);
  }
}

function* words(text) {
  for (const word of text.match(/\s*\S+/g) ?? []) yield { text: word };
}

async function* askServer(system, messages, tools) {
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.OPENAI_API_KEY ?? ""}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: process.env.OPENAI_MODEL,
      stream: true,
      messages: [{ role: "system", content: system }, ...messages.filter((m) => m.role !== "system").map(turn)],
      tools: tools.length ? tools.map((tool) => ({ type: "function", function: tool })) : undefined,
    }),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${await response.text()}`);
  const calls = [];
  for await (const { choices } of events(response.body)) {
    const delta = choices?.[0]?.delta ?? {};
    if (delta.content) yield { text: delta.content };
    for (const piece of delta.tool_calls ?? []) {
      calls[piece.index] ??= { name: "", args: "" };
      calls[piece.index].name += piece.function?.name ?? "";
      calls[piece.index].args += piece.function?.arguments ?? "";
    }
  }
  for (const { name, args } of calls) yield { call: { name, args: JSON.parse(args || "{}") } };
}

// turn is a message as the server wants it.
function turn({ role, content, toolCalls, toolCallId }) {
  return { role, content, tool_calls: toolCalls?.length ? toolCalls : undefined, tool_call_id: toolCallId };
}

// events are the JSON texts of a stream of server-sent events.
async function* events(body) {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const data = line.replace(/^data: ?/, "").trim();
      if (line.startsWith("data:") && data !== "[DONE]") yield JSON.parse(data);
    }
  }
}
