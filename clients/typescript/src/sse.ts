/** One server-sent event. Without a name it tells the position alone. */
export interface Message {
  name: string;
  data: string;
  /** The position after the event, if the event tells it. */
  id?: string;
}

/**
 * Parses a stream of server-sent events. A message counts once it is complete:
 * one that breaks off is not told, so that nobody goes on after it.
 */
export async function* messages(body: AsyncIterable<string>): AsyncGenerator<Message, void, void> {
  let rest = "";
  let message: Message = { name: "", data: "" };
  for await (const chunk of body) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        yield message;
        message = { name: "", data: "" };
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") message.name = value;
      else if (field === "data") message.data += (message.data === "" ? "" : "\n") + value;
      else if (field === "id") message.id = value;
    }
  }
}
