import type { ReactNode } from "react";

/** The arguments of a call. A model may have left out any, or given another type. */
export type Args = Readonly<Record<string, unknown>>;

/**
 * How the calls of a tool are shown. What a view does not understand it leaves
 * alone (undefined): it is shown by its shape, as are the calls of all other tools.
 */
export interface ToolView {
  /** What it is about, in a line. */
  brief?: (args: Args) => string | undefined;
  input?: (args: Args) => ReactNode | undefined;
  output?: (text: string, args: Args) => ReactNode | undefined;
}

/** The arguments as a model or a person wrote them; nothing in them when they make no sense. */
export function argsOf(value: unknown): Args {
  try {
    const args: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return typeof args === "object" && args !== null && !Array.isArray(args) ? (args as Args) : {};
  } catch {
    return {};
  }
}

/** An argument that is a text. */
export const textOf = (args: Args, name: string): string | undefined => {
  const value = args[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};
