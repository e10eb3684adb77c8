import { createContext, useContext, useId } from "react";
import { words } from "../words";
import { MarkdownBlock } from "./block";
import { Blocks } from "./blocks";
import { normal, type References } from "./references";

const say = words.render.text;

interface Numbers {
  of: ReadonlyMap<string, number>;
  /** Makes the ids of one text differ from those of others. */
  prefix: string;
}

const NumbersContext = createContext<Numbers>({ of: new Map(), prefix: "" });

export const NumbersProvider = NumbersContext.Provider;

/** The numbers of footnotes, for their mentions. */
export function useNumbers(notes: References["notes"]): Numbers {
  const prefix = useId();
  return { of: new Map(notes.map((n, i) => [n.label, i + 1])), prefix };
}

/** The mention of a footnote. */
export function NoteMark({ label = "" }: { label?: string }) {
  const { of, prefix } = useContext(NumbersContext);
  const n = of.get(normal(label));
  return (
    <sup>
      <a href={`#${prefix}note-${n}`} id={`${prefix}mark-${n}`} aria-label={say.footnote(n ?? 0)}>
        {n}
      </a>
    </sup>
  );
}

/** The footnotes, at the end of a text. */
export function Notes({ notes }: { notes: References["notes"] }) {
  const { prefix } = useContext(NumbersContext);
  if (notes.length === 0) {
    return null;
  }
  return (
    <section aria-label={say.footnotes} className="footnotes">
      <ol>
        {notes.map(({ label, text }, i) => (
          <li key={label} id={`${prefix}note-${i + 1}`}>
            {new Blocks().of(text).map((block, k) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place
              <MarkdownBlock key={k} text={block.text} />
            ))}
            <a href={`#${prefix}mark-${i + 1}`} aria-label={say.backToText(i + 1)}>
              ↩
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
