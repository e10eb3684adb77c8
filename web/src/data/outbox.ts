import { answerTask, createChat, forkBefore, sendMessage, type Talk } from "../api/calls";
import { ApiError, explain } from "../api/http";
import type { Message, Part } from "../api/types";
import { words } from "../words";
import { KeptList } from "./keptlist";

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
  /** It is said in the place of a message of another chat, in a fork that is this chat. */
  instead?: { chatId: string; messageId: string };
  /** It was sent at least once, so the server may have it. */
  tried?: boolean;
  /** A person stopped it while it was on its way. */
  stop?: boolean;
  /** The question of an agent that it answers. It goes to that agent, and to nobody else. */
  answers?: Answered;
  /** Why the server refused it. Without it, it is on its way or waits for the server. */
  error?: string;
  /** It was refused because its chat is not there any more. */
  gone?: boolean;
  /** It was refused because nobody waits for this answer any more. */
  late?: boolean;
  /** The server has too much to do. */
  busy?: Busy;
}

/** A question of the agent that does a task. */
export interface Answered {
  taskId: string;
  questionId: string;
}

/** That the server takes no message now. */
export interface Busy {
  why: string;
  /** When the message is sent again, and when it was refused first. */
  again: number;
  since: number;
}

const stoppedOnItsWay = words.composer.stoppedOnItsWay;

/** For how long a message is sent again by itself while the server has too much to do. Then a person decides. */
const patience = 10 * 60_000;

interface Options {
  /** The server has taken a message. */
  sent: (message: Message) => void;
  /** The answer to a message that the server has, or may have, is not wanted. */
  stop: (id: string, chatId: string) => void;
  /** It is wanted after all. */
  unstop: (id: string) => void;
}

/**
 * Messages on their way. They outlast the page and are sent, in order and in the
 * name of its owner, as soon as the server is there; their ids make sure that
 * none is said twice.
 */
export class Outbox {
  #kept = new KeptList<Unsent>("outbox");
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onItsWay = "";
  #opts: Options;

  constructor(opts: Options) {
    this.#opts = opts;
  }

  /** Takes up what the owner of the page has left unsent. */
  open(): void {
    this.#kept.open();
    for (const m of this.list().filter((m) => m.stop && !m.error)) {
      this.#change({ ...m, error: stoppedOnItsWay }); // the page was left before the server answered
      this.#opts.stop(m.id, m.chatId);
    }
  }

  list(): readonly Unsent[] {
    return this.#kept.all();
  }

  subscribe(listener: () => void): () => void {
    return this.#kept.subscribe(listener);
  }

  add(message: Unsent): void {
    this.#kept.save([...this.list(), message]);
    void this.flush();
  }

  discard(id: string): void {
    this.#kept.save(this.list().filter((m) => m.id !== id));
  }

  /**
   * Takes a message back and returns it. One that is on its way this moment cannot be
   * taken back: it is stopped when the server has it. Should the server not get it, it
   * stays here, and a person decides.
   */
  stop(id: string): Unsent | undefined {
    this.#kept.read(); // another tab may be sending it
    const found = this.list().find((m) => m.id === id);
    if (!found) {
      return undefined;
    }
    if (this.#onItsWay === id) {
      this.#change({ ...found, stop: true });
      return undefined;
    }
    this.discard(id);
    if (found.tried) {
      this.#opts.stop(id, found.chatId);
    }
    return found;
  }

  retry(id: string): void {
    this.#opts.unstop(id);
    const again = { error: undefined, busy: undefined, stop: undefined };
    this.#kept.save(this.list().map((m) => (m.id === id ? { ...m, ...again } : m)));
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
    return this.list().find((m) => !m.error);
  }

  async #send(m: Unsent): Promise<void> {
    this.#onItsWay = m.id;
    try {
      if (!m.tried) {
        this.#change({ ...m, tried: true });
      }
      if (m.first) {
        await createChat(m.chatId, m.talk);
      }
      if (m.instead) {
        await forkBefore(m.instead.chatId, m.instead.messageId, m.chatId);
      }
      const said = m.parts ?? m.content;
      this.#opts.sent(
        m.answers
          ? await answerTask(m.chatId, m.id, m.answers, said)
          : await sendMessage(m.chatId, m.id, said),
      );
      if (this.#isStopped(m.id)) {
        this.#opts.stop(m.id, m.chatId);
      }
      this.discard(m.id);
    } catch (e) {
      this.#failed({ ...m, tried: true, stop: this.#isStopped(m.id) || undefined }, e);
    } finally {
      this.#onItsWay = "";
    }
  }

  /** Keeps a message that the server did not take. Without a server the error is passed on. */
  #failed(m: Unsent, e: unknown): void {
    if (!(e instanceof ApiError) || e.code === "offline" || e.status === 401) {
      if (m.stop) {
        this.#change({ ...m, error: stoppedOnItsWay });
        this.#opts.stop(m.id, m.chatId); // it may have got there
      }
      throw e;
    }
    const busy = m.stop ? undefined : busyOf(m, e);
    if (busy) {
      this.#change({ ...m, busy });
      return;
    }
    const gone = e.code === "not_found";
    const error = gone ? words.composer.chatGone : explain(e);
    const late = m.answers !== undefined && e.code === "conflict";
    this.#change({ ...m, error, gone, late, busy: undefined });
  }

  #isStopped(id: string): boolean {
    return this.list().some((m) => m.id === id && m.stop);
  }

  /** A person may have discarded it meanwhile. */
  #change(m: Unsent): void {
    this.#kept.save(this.list().map((other) => (other.id === m.id ? m : other)));
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
