import { NestorError } from "./error.js";
import { type Message, messages } from "./sse.js";

export interface ClientOptions {
  /** Address of the server, such as http://127.0.0.1:8787. */
  url: string;
  /** A token or API key. Leave it out in a browser that has a session. */
  token?: string;
  /** Defaults to the global fetch. */
  fetch?: typeof fetch;
  /**
   * For how many milliseconds in all a call waits for a server that has too much to do and says when to come again,
   * before it fails with "rate_limited". Nothing was written until then. Defaults to a minute; 0 waits for nothing.
   */
  patience?: number;
  /** Is told why, and for how many milliseconds, a call waits. */
  onWait?: (wait: number, why: NestorError) => void;
}

/** What every call takes. */
export interface Call {
  signal?: AbortSignal | undefined;
}

/** An event of a stream. */
export interface ServerEvent<Name extends string, Data> {
  name: Name;
  data: Data;
  /** Where a stream goes on after this event. */
  id: string;
}

interface Request extends Call {
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  /** A file that is the whole request, instead of a body. */
  file?: Blob;
}

/** A stream that says nothing for so long is broken: a sign of life comes every 15 seconds. */
const silence = 45_000;

/** How calls reach the server. */
export abstract class Transport {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #patience: number;
  readonly #onWait: ((wait: number, why: NestorError) => void) | undefined;

  constructor(options: ClientOptions) {
    this.#url = options.url.replace(/\/+$/, "");
    this.#token = options.token;
    this.#patience = options.patience ?? 60_000;
    this.#onWait = options.onWait;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  protected encodePath(path: string): string {
    return path.split("/").map(encodeURIComponent).join("/");
  }

  protected async send<T>(method: string, path: string, request: Request): Promise<T> {
    const response = await this.#insist(method, path, request);
    if (response.status === 204) return undefined as T;
    return (await response.json()) as T;
  }

  /** Reads a file. */
  protected async read(method: string, path: string, request: Request): Promise<Blob> {
    return (await this.#insist(method, path, request)).blob();
  }

  /** Sends a request again as long as it is refused because there is too much to do: then it has changed nothing. */
  async #insist(method: string, path: string, request: Request): Promise<Response> {
    for (let left = this.#patience; ; ) {
      try {
        return await this.#open(method, path, request);
      } catch (error) {
        if (!(error instanceof NestorError) || error.code !== "rate_limited") throw error;
        if (error.retryAfter === undefined || error.retryAfter > left) throw error;
        const wait = error.retryAfter * (1 + Math.random() / 4); // not all at once
        left -= wait;
        this.#onWait?.(wait, error);
        await sleep(wait, request.signal);
        if (request.signal?.aborted) throw error;
      }
    }
  }

  /** Yields the events of a stream and reconnects until the caller has had enough. */
  protected async *stream<E extends ServerEvent<string, unknown>>(path: string, request: Request): AsyncGenerator<E, void, void> {
    let position: string | undefined;
    for (let failures = 0; ; failures++) {
      try {
        for await (const message of this.#listen(path, request, position)) {
          failures = 0;
          position = message.id ?? position;
          if (message.name === "") continue;
          yield { name: message.name, data: JSON.parse(message.data), id: position ?? "" } as E;
          if (message.name === "resync") return;
        }
      } catch (error) {
        if (request.signal?.aborted) return;
        if (!(error instanceof NestorError) || !error.temporary) throw error;
      }
      await pause(failures, request.signal);
      if (request.signal?.aborted) return;
    }
  }

  /** Reads one connection until it breaks. */
  async *#listen(path: string, request: Request, position: string | undefined): AsyncGenerator<Message, void, void> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    request.signal?.addEventListener("abort", abort);
    if (request.signal?.aborted) stop.abort();
    let timer = setTimeout(abort, silence);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(abort, silence);
    };
    try {
      const headers = { ...request.headers, Accept: "text/event-stream", "Last-Event-ID": position };
      const response = await this.#open("GET", path, { ...request, headers, signal: stop.signal });
      for await (const message of messages(chunks(response, alive))) {
        clearTimeout(timer); // the caller may take its time
        yield message;
        alive();
      }
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", abort);
      stop.abort();
    }
  }

  async #open(method: string, path: string, request: Request): Promise<Response> {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    if (this.#token !== undefined) headers.set("Authorization", `Bearer ${this.#token}`);
    const init: RequestInit = { method, headers };
    if (request.signal) init.signal = request.signal;
    if (request.body !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(request.body);
    } else if (request.file !== undefined) {
      headers.set("Content-Type", request.file.type || "application/octet-stream");
      init.body = request.file;
    }
    let response: Response;
    try {
      response = await this.#fetch(this.#url + path + search(request.query), init);
    } catch (error) {
      throw new NestorError("unavailable", `the server cannot be reached: ${String(error)}`, 0);
    }
    if (!response.ok) throw await NestorError.of(response);
    return response;
  }
}

function search(query: Request["query"]): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one));
  }
  return params.size === 0 ? "" : `?${params}`;
}

/** The text of a response as it comes. */
async function* chunks(response: Response, heard: () => void): AsyncGenerator<string, void, void> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      yield value;
    }
  } catch (error) {
    throw new NestorError("unavailable", `the stream broke: ${String(error)}`, 0);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Grows to some seconds; random, so that clients do not all come back at once. */
function pause(failures: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(100 * 2 ** Math.min(failures, 10), 5_000);
  return sleep(most / 2 + (Math.random() * most) / 2, signal);
}

/** Ends early when the signal is aborted. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}
