import { Api } from "./api.js";

/**
 * A Nestor server.
 *
 *     const nestor = new Client({ url: "http://127.0.0.1:8787", token });
 *     const chat = await nestor.createChat();
 *     const said = await nestor.say(chat.id, { content: "Compute 6*7" });
 *     for await (const event of nestor.chatEvents(chat.id, { from: String(said.seq) })) …
 *
 * Calls that fail throw a NestorError, whose code says what to do about it.
 * Streams reconnect by themselves and go on exactly where they were; one that
 * cannot, because the server no longer has what was missed, yields "resync" and
 * ends: read everything anew.
 */
export class Client extends Api {}
