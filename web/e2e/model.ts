import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the scripted model says to one request. */
export interface Reply {
  reasoning?: string;
  /** Each piece is sent on its own. A promise holds the stream until it is kept; a pause is a model that thinks. */
  pieces?: (string | Promise<unknown> | { afterMs: number })[];
  calls?: { name: string; args: unknown }[];
  /** The connection breaks after the pieces. */
  breaks?: boolean;
  /** Answers with this status instead, and with a message. */
  status?: number;
  message?: string;
}

export interface Asked {
  /** Which part it plays, told by the tools that it is offered. */
  part: "orchestrator" | "agent" | "writer";
  /** The model that is asked for, and the key that was given. */
  model: string;
  key: string;
  /** The tools that it is offered. */
  tools: string[];
  messages: { role: string; content: unknown }[];
  /** All messages as text, to look for words in. */
  text: string;
}

type Script = (asked: Asked) => Reply;

/** A server that is compatible with OpenAI and says what a test wants; also the world of tools and webhooks. */
export class ScriptedModel {
  script: Script = () => ({ pieces: ["Hello."] });
  /** What was posted to /order, /ship and /hook. */
  posted: { url: string; body: string }[] = [];
  /** What they answer; with which status the latter two do, and what /ship waits for. */
  posts: (body: string) => string = () => "taken";
  status = 200;
  shipping: Promise<void> = Promise.resolve();
  #server: Server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    if (!request.url?.startsWith("/v1/")) {
      await this.#take(request.url ?? "", body, response);
      return;
    }
    const asked = readRequest(body, request.headers.authorization);
    if (asked.text.includes("Write a title")) {
      await this.#stream(response, { pieces: ["A scripted chat"] });
      return;
    }
    const reply = this.script(asked);
    if (reply.status) {
      response.writeHead(reply.status, { "Content-Type": "application/json" });
      response.end(
        JSON.stringify({
          error: { message: reply.message ?? "this model refuses", type: "invalid_request_error" },
        }),
      );
      return;
    }
    await this.#stream(response, reply);
  }

  async #take(url: string, body: string, response: ServerResponse): Promise<void> {
    this.posted.push({ url, body });
    if (url === "/ship") {
      await this.shipping;
    }
    response.writeHead(url === "/order" ? 200 : this.status);
    response.end(this.posts(body));
  }

  async #stream(response: ServerResponse, reply: Reply): Promise<void> {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = (delta: unknown, finish: string | null = null, usage?: unknown) =>
      response.write(
        `data: ${JSON.stringify({
          id: "1",
          object: "chat.completion.chunk",
          created: 1,
          model: "scripted",
          choices: [{ index: 0, delta, finish_reason: finish }],
          ...(usage ? { usage } : {}),
        })}\n\n`,
      );
    send({ role: "assistant", content: "" });
    if (reply.reasoning) {
      send({ reasoning_content: reply.reasoning });
    }
    for (const piece of reply.pieces ?? []) {
      if (typeof piece !== "string") {
        await ("afterMs" in piece ? new Promise((resolve) => setTimeout(resolve, piece.afterMs)) : piece);
        continue;
      }
      send({ content: piece });
    }
    if (reply.breaks) {
      response.destroy();
      return;
    }
    reply.calls?.forEach((call, index) => {
      const { name, args } = call;
      const id = `call_${index}`;
      send({
        tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      });
    });
    send({}, reply.calls ? "tool_calls" : "stop", {
      prompt_tokens: 120,
      completion_tokens: 30,
      total_tokens: 150,
    });
    response.end("data: [DONE]\n\n");
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function readRequest(body: string, authorization = ""): Asked {
  const {
    model,
    messages,
    tools = [],
  } = JSON.parse(body) as {
    model: string;
    messages: Asked["messages"];
    tools?: { function: { name: string } }[];
  };
  const names = tools.map((t) => t.function.name);
  const part = names.includes("final_answer")
    ? "agent"
    : names.includes("create_agent")
      ? "orchestrator"
      : "writer";
  const key = authorization.replace(/^Bearer /, "");
  return { part, model, key, tools: names, messages, text: JSON.stringify(messages) };
}

/** A promise to keep later. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
