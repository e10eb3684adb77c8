/** What the page asks the frame for, and what that answers. */
export interface Order {
  id: number;
  source: string;
  dark: boolean;
}

export type Answer = { id: number; svg: string } | { id: number; error: string };

/** The first thing that the frame says. */
export const ready = "ready";
