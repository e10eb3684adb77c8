import { createChat, sendMessage, type Talk } from "../api/calls";
import { ApiError, explain } from "../api/http";
import type { Message, Part } from "../api/types";
import { own } from "./owner";

/** A message that the server does not have yet. */
export interface Unsent {
  id: string;
  chatId: string;
  content: string;
  /** All that it says, if it names files; then content is the text of it. */
  parts?: readonly Part[];
  createdAt: number;
  /** The message begins its chat. */
  first?: boolean;
  /** With whom that chat talks. */
  talk?: Talk;
  /** Why the server refused it. Without it, it is on its way or waits for the server. */
  error?: string;
  /** It was refused because its chat is not there any more. */
  gone?: boolean;
  /** The server has too much to do. */
  busy?: Busy;
}

/** That the server takes no message now. */
export interface Busy {
  why: string;
  /** When the message is sent again, and when it was refused first. */
  again: number;
  since: number;
}

/** For how long a message is sent again by itself while the server has too much to do. Then a person decides. */
const patience = 10 * 60_000;

const name = "outbox";

/**
 * Messages on their way. They outlast the page and are sent, in order and in the
 * name of its owner, as soon as the server is there; their ids make sure that
 * none is said twice.
 */
export class Outbox {
  #list: readonly Unsent[] = [];
  #listeners = new Set<() => void>();
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent: (message: Message) => void;

  constructor(sent: (message: Message) => void) {
    this.#sent = sent;
  }

  /** Takes up what the owner of the page has left unsent. */
  open(): void {
    const read = () => {
      this.#list = load();
      this.#notify();
    };
    read();
    own.onChange(name, read);
  }

  list(): readonly Unsent[] {
    return this.#list;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(message: Unsent): void {
    this.#save([...this.#list, message]);
    void this.flush();
  }

  discard(id: string): void {
    this.#save(this.#list.filter((m) => m.id !== id));
  }

  retry(id: string): void {
    this.#save(this.#list.map((m) => (m.id === id ? { ...m, error: undefined, busy: undefined } : m)));
    void this.flush();
  }

  /** Sends what can be sent. Without a server it stops, to be called again; one that is busy is asked again by itself. */
  async flush(): Promise<void> {
    if (this.#sending) {
      return;
    }
    this.#sending = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        const wait = (next.busy?.again ?? 0) - Date.now();
        if (wait > 0) {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => void this.flush(), wait);
          return;
        }
        await this.#send(next);
      }
    } catch {
      // Offline or signed out: the message stays.
    } finally {
      this.#sending = false;
    }
  }

  #next(): Unsent | undefined {
    return this.#list.find((m) => !m.error);
  }

  async #send(m: Unsent): Promise<void> {
    try {
      if (m.first) {
        await createChat(m.chatId, m.talk);
      }
      this.#sent(await sendMessage(m.chatId, m.id, m.parts ?? m.content));
      this.discard(m.id);
    } catch (e) {
      if (!(e instanceof ApiError) || e.code === "offline" || e.status === 401) {
        throw e;
      }
      const busy = busyOf(m, e);
      if (busy) {
        this.#change({ ...m, busy });
        return;
      }
      const gone = e.code === "not_found";
      const error = gone ? "This chat no longer exists." : explain(e);
      this.#change({ ...m, error, gone, busy: undefined });
    }
  }

  /** A person may have discarded it meanwhile. */
  #change(m: Unsent): void {
    this.#save(this.#list.map((other) => (other.id === m.id ? m : other)));
  }

  #save(list: readonly Unsent[]): void {
    this.#list = list;
    own.set(name, JSON.stringify(list));
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

/** When to send a message again that was refused because there is too much to do; nothing if that went on for too long. */
function busyOf(m: Unsent, e: ApiError): Busy | undefined {
  const now = Date.now();
  const since = m.busy?.since ?? now;
  if (e.code !== "rate_limited" || e.retryAfter === undefined || now - since > patience) {
    return undefined;
  }
  const wait = Math.min(Math.max(e.retryAfter, 1), 60) * 1000;
  return { why: e.message, again: now + wait * (1 + Math.random() / 4), since };
}

function load(): Unsent[] {
  try {
    return JSON.parse(own.get(name) ?? "[]") as Unsent[];
  } catch {
    return [];
  }
}
