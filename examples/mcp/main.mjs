// Talks to a Nestor server by the Model Context Protocol, with the stock SDK: a role as a
// tool that says how it goes on, a question that you answer in the terminal, and what was
// said as a resource.
//
//   npm install && NESTOR_URL=http://127.0.0.1:8787 NESTOR_KEY=… node main.mjs "Book a table for two"
import readline from "node:readline/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const client = new Client({ name: "example", version: "1.0.0" }, { capabilities: { elicitation: {} } });

// A run that waits asks here: a question, or a decision about a call of a tool.
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  const [field] = Object.keys(params.requestedSchema.properties);
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr });
  const said = await terminal.question(`${params.message}\n> `);
  terminal.close();
  return said ? { action: "accept", content: { [field]: said } } : { action: "decline" };
});

await client.connect(
  new StreamableHTTPClientTransport(new URL("/mcp", process.env.NESTOR_URL), {
    requestInit: { headers: { Authorization: `Bearer ${process.env.NESTOR_KEY}` } },
  }),
);

const message = process.argv[2] ?? "Compute 6*7";
const result = await client.callTool({ name: "ask_general", arguments: { message } }, undefined, {
  onprogress: (p) => console.error("…", p.message),
  resetTimeoutOnProgress: true,
  timeout: 600_000, // a person may have to answer first
});
const { status, thread } = result.structuredContent;
console.log(result.content[0].text);
console.log(`It ended with ${status}.`);

const chat = await client.readResource({ uri: `nestor://chats/${thread}` });
console.log(chat.contents[0].text);

await client.transport.terminateSession();
await client.close();
