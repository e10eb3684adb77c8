import { Fragment, type ReactNode } from "react";

/** A sentence with elements in it: "{name}" stands in its text where the element of that name goes. */
export function phrase(text: string, elements: Record<string, ReactNode>): ReactNode {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, i) => (i % 2 === 1 ? <Fragment key={piece}>{elements[piece]}</Fragment> : piece));
}
