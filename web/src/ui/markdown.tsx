import { memo, useEffect, useMemo, useState } from "react";
import { Code, MarkdownBlock } from "../markdown/block";
import { type Block, Blocks } from "../markdown/blocks";
import { Notes, NumbersProvider, useNumbers } from "../markdown/notes";
import { resolve } from "../markdown/references";
import { closed } from "../thread/unfinished";

interface Props {
  text: string;
  /** It is still being written. */
  live?: boolean;
}

/**
 * Text of a person or model. It is parsed and drawn block by block; those that
 * are finished stay as they are while more comes.
 */
export const Markdown = memo(function Markdown({ text, live = false }: Props) {
  const [cutter] = useState(() => new Blocks());
  const { blocks, notes } = useMemo(() => resolve(cutter.of(text)), [cutter, text]);
  const numbers = useNumbers(notes);
  const shown = useGradually(blocks.length);
  const last = blocks.length - 1;
  return (
    <div className="prose min-w-0 break-words">
      <NumbersProvider value={numbers}>
        {blocks.slice(0, shown).map((block, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place
          <One key={i} block={block} live={live} growing={live && i === last} />
        ))}
        {shown >= blocks.length && <Notes notes={notes} />}
      </NumbersProvider>
    </div>
  );
});

const atOnce = 40;

/** So many of all, and soon more: a very long text does not hold up the page while it is drawn. */
function useGradually(all: number): number {
  const [most, setMost] = useState(atOnce);
  useEffect(() => {
    if (most < all) {
      const timer = setTimeout(() => setMost(most + atOnce));
      return () => clearTimeout(timer);
    }
  }, [most, all]);
  return most;
}

interface OneProps {
  block: Block;
  live: boolean;
  growing: boolean;
}

const One = memo(function One({ block: { text, code }, live, growing }: OneProps) {
  if (!code) {
    return <MarkdownBlock text={growing ? closed(text) : text} />;
  }
  // The first marks of the line that closes the block are no code.
  const shown = growing && code.open ? code.text.replace(/\n? {0,3}[`~]{1,}$/, "") : code.text;
  return (
    <Code text={shown} language={code.language} live={live && (growing || code.language === "mermaid")} />
  );
});
