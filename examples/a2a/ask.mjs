// Asks Nestor by the Agent2Agent protocol: NESTOR_URL, NESTOR_KEY, and the question as argument.
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "@a2a-js/sdk/client";

const headers = { Authorization: `Bearer ${process.env.NESTOR_KEY}` };
const fetchImpl = (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...headers } });
const transports = [new JsonRpcTransportFactory({ fetchImpl })];
const client = await new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports })).createFromUrl(process.env.NESTOR_URL);
const message = { kind: "message", messageId: crypto.randomUUID(), role: "user", parts: [{ kind: "text", text: process.argv[2] }] };
for await (const event of client.sendMessageStream({ message })) {
  if (event.kind === "artifact-update") process.stdout.write(event.artifact.parts.map((p) => p.text).join("") + (event.lastChunk ? "\n" : ""));
  if (event.kind === "status-update" && event.final) console.log(event.status.state);
}
