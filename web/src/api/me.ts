import { getMe } from "./calls";
import type { Me } from "./types";

let known: Promise<Me> | undefined;

/** Who is signed in, asked once per page: another person begins with a new page. */
export function whoAmI(): Promise<Me> {
  known ??= getMe().catch((e: unknown) => {
    known = undefined;
    throw e;
  });
  return known;
}
