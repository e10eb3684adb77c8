import type { Usage } from "../api/types";
import { locale } from "../words/language";

/** Numbers and times as people read them. */

export function duration(ms: number): string {
  if (ms < 1000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  const seconds = ms / 1000;
  if (seconds < 60) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min ${Math.round(seconds % 60)} s`;
  }
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function tokens(usage: Usage | number | null | undefined): string {
  const n = typeof usage === "number" ? usage : usage ? usage.inputTokens + usage.outputTokens : 0;
  if (n < 1000) {
    return `${n}`;
  }
  return n < 1e6 ? `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)}k` : `${(n / 1e6).toFixed(1)}M`;
}

export function cost(micros: number | undefined): string {
  if (!micros) {
    return "$0";
  }
  const dollars = micros / 1e6;
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

const parts = {
  clock: { hour: "2-digit", minute: "2-digit" },
  exactClock: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { year: "numeric", month: "short", day: "numeric" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const shown = (ms: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, options).format(ms);

/** All times in the UI come from these. */
export const clock = (ms: number): string => shown(ms, parts.clock);

/** A day that is the same everywhere, such as 2027-03-03. */
export const calendarDay = (iso: string): string => shown(Date.parse(iso), { ...parts.day, timeZone: "UTC" });

/** Where seconds count: the steps of an agent. */
export const exactClock = (ms: number): string => shown(ms, parts.exactClock);

export const day = (ms: number): string => shown(ms, parts.day);

export const exactTime = (ms: number): string => shown(ms, { ...parts.day, ...parts.exactClock });

/** A moment somewhere, with the day of the week. */
export const dayAndTime = (ms: number, timeZone: string): string =>
  shown(ms, { weekday: "long", ...parts.day, ...parts.exactClock, timeZone });

/** JSON in lines if it is that, else the text as it is. */
export function pretty(value: unknown): string {
  if (typeof value !== "string") {
    return JSON.stringify(value, null, 2) ?? "";
  }
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}

/** agent:researcher is a Researcher, and tool:calculator a Calculator. */
export function roleOf(taskName: string): string {
  const role = taskName.replace(/^(agent|tool):/, "");
  return role.charAt(0).toUpperCase() + role.slice(1);
}

const mostOfHeadline = 80;

/** A text in one line: its first, or the first words of that. */
export function headline(text: string): string {
  const line = text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
  return line.length > mostOfHeadline ? `${line.slice(0, mostOfHeadline).replace(/\s+\S*$/, "")}…` : line;
}

/** What a task is about: its instruction or, for a tool, the arguments. */
export function assignment({ instruction, args }: { instruction: string; args?: unknown }): string {
  return args === undefined ? instruction : JSON.stringify(args);
}

/** How large a file is. */
export function bytes(n: number): string {
  if (n < 1000) {
    return `${n} B`;
  }
  return n < 1_000_000 ? `${Math.round(n / 1000)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;
}

/** What a model wrote in Markdown, for one line: without the marks that would only be in the way. */
export const unmarked = (text: string) => text.replace(/\*\*|`/g, "").replace(/^(#+|[-*>]) /, "");
