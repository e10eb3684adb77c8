import type { Part } from "../api/types";
import { own } from "./owner";
import { loadWritten, saveWritten } from "./settings";

/** What is being written in a chat: the text, and the files that are uploaded already. */
export interface Written {
  text: string;
  files: readonly Part[];
}

const nothing: Written = { text: "", files: [] };
const filesName = (chatId: string) => `attached/${chatId}`;

/**
 * What is being written and is not sent yet, by chat; "" is one that is about to begin. It
 * outlasts the page, and may be added to from outside of the line in which it is written:
 * by a quote, or by a message that is taken back.
 */
class AllWritten {
  #read = new Map<string, Written>();
  #listeners = new Set<() => void>();

  get(chatId: string): Written {
    let is = this.#read.get(chatId);
    if (!is) {
      is = { text: loadWritten(chatId), files: loadFiles(chatId) };
      this.#read.set(chatId, is);
    }
    return is;
  }

  set(chatId: string, change: Partial<Written>): void {
    const before = this.get(chatId);
    const now = { ...before, ...change };
    this.#read.set(chatId, now);
    if (now.text !== before.text) {
      saveWritten(chatId, now.text);
    }
    if (now.files !== before.files) {
      saveFiles(chatId, now.files);
    }
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Adds a text below what is written. */
  add(chatId: string, text: string): void {
    const before = this.get(chatId).text;
    this.set(chatId, { text: before.trim() ? `${before.trimEnd()}\n\n${text}` : text });
  }

  attach(chatId: string, files: readonly Part[]): void {
    const had = this.get(chatId).files;
    const more = files.filter((f) => !had.some((h) => h.fileId === f.fileId && h.name === f.name));
    this.set(chatId, { files: [...had, ...more] });
  }

  /** Takes up a message that was taken back. */
  giveBack(chatId: string, { content, parts }: { content: string; parts?: readonly Part[] }): void {
    const text = parts ? textOf(parts) : content;
    if (text) {
      this.add(chatId, text);
    }
    this.attach(chatId, parts?.filter((p) => p.fileId) ?? []);
  }

  clear(chatId: string): void {
    this.set(chatId, nothing);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const written = new AllWritten();

/** The words among parts, as they were written. */
export const textOf = (parts: readonly Part[]) =>
  parts
    .filter((p) => p.type === "text")
    .map((p) => p.text ?? "")
    .join("\n\n");

function loadFiles(chatId: string): readonly Part[] {
  try {
    return JSON.parse(own.get(filesName(chatId)) ?? "[]") as Part[];
  } catch {
    return [];
  }
}

function saveFiles(chatId: string, files: readonly Part[]): void {
  if (files.length > 0) {
    own.set(filesName(chatId), JSON.stringify(files));
  } else {
    own.remove(filesName(chatId));
  }
}
