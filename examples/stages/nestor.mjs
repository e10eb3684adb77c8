// What a stage needs of Nestor: deliveries that are verified, the documents of
// the chat, batches and drafts. Node 20 and nothing else.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const address = process.env.NESTOR_URL ?? "http://127.0.0.1:8787";
const secret = Buffer.from((process.env.STAGES_SECRET ?? "").replace(/^whsec_/, ""), "base64");
if (secret.length < 24) {
  console.error("STAGES_SECRET must be whsec_ and the base64 of at least 24 bytes");
  process.exit(1);
}

/**
 * Runs a stage. work is called with each delivery. When it returns, what it did
 * is committed and the delivery is answered with 204. When it throws, the answer
 * is 503 and Nestor delivers again.
 */
export function serve(port, work) {
  const server = createServer(async (request, response) => {
    const body = await read(request);
    if (!verify(request.headers, body)) {
      response.writeHead(401).end("bad signature");
      return;
    }
    try {
      const delivery = JSON.parse(body);
      await work({ ...delivery, nestor: new Nestor(delivery.token) });
      response.writeHead(204).end();
    } catch (error) {
      console.error(error);
      response.writeHead(503).end(error.message);
    }
  });
  server.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
}

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// Standard Webhooks: an HMAC over id, time and the bytes of the body. An old time
// is refused, so that nobody can send a recorded delivery again.
function verify(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const want = createHmac("sha256", secret).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const got = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return got.length === want.length && timingSafeEqual(got, want);
  });
}

/** A call that was refused. Its status says what to do about it. */
export class Refused extends Error {
  constructor(status, text) {
    super(`${status}: ${text}`);
    this.status = status;
  }
}

/** Nestor, as far as the token of a delivery reaches: the chat. */
export class Nestor {
  #token;

  constructor(token) {
    this.#token = token;
  }

  async call(method, path, body, headers = {}) {
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json", ...headers },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, text);
    return text ? JSON.parse(text) : undefined;
  }

  /** A document, undefined if there is none. */
  async get(path) {
    try {
      return await this.call("GET", `/docs/${path}`);
    } catch (error) {
      if (error.status === 404) return undefined;
      throw error;
    }
  }

  /** All documents of a collection, oldest first. */
  async list(collection) {
    const all = [];
    for (let cursor; ; ) {
      const page = await this.call("POST", "/query", { collection, orderBy: [{ field: "createdAt" }], limit: 200, cursor });
      all.push(...page.items);
      cursor = page.next;
      if (!cursor) return all;
    }
  }

  /** Writes all or nothing. With the same key it is carried out once, however often it is sent. */
  batch(key, operations) {
    return this.call("POST", "/batch", { operations }, { "idempotency-key": key });
  }

  /** Shows what is being said in a message before it is written. */
  draft(path) {
    return new Draft(this, path);
  }
}

// A draft is for show: what matters is the message that is written in the end. So
// a delta that is refused is left out. While one is on its way the next ones wait
// and go together.
class Draft {
  #nestor;
  #path;
  #waiting = { restart: true }; // an earlier attempt may have said something
  #sending;

  constructor(nestor, path) {
    this.#nestor = nestor;
    this.#path = path;
  }

  say({ text = "", reasoning = "" }) {
    this.#waiting ??= {};
    this.#waiting.text = (this.#waiting.text ?? "") + text;
    this.#waiting.reasoning = (this.#waiting.reasoning ?? "") + reasoning;
    this.#sending ??= this.#send();
  }

  async #send() {
    while (this.#waiting) {
      const words = this.#waiting;
      this.#waiting = undefined;
      await this.#nestor.call("POST", `/drafts/${this.#path}`, words).catch(() => {});
    }
    this.#sending = undefined;
  }

  /** Resolves when everything is said. */
  async said() {
    await this.#sending;
  }
}
