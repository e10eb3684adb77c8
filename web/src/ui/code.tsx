import { WrapText } from "lucide-react";
import { memo, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { words } from "../words";
import { IconButton } from "./button";
import { CopyButton } from "./copy";
import type { Line, Painter } from "./highlight";
import { languageOf } from "./languages";
import { inTurn } from "./turns";

const say = words.render.code;

interface Props {
  text: string;
  language?: string;
  /** It is still being written. */
  live?: boolean;
}

/** Code with its language and what one does with it above, coloured once the colours are loaded. */
export function CodeBlock({ text, language = "", live = false }: Props) {
  const [wrap, setWrap] = useState(false);
  const known = languageOf(language);
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-panel" aria-busy={live || undefined}>
      <figcaption className="flex items-center gap-1 border-b border-line py-0.5 pr-1 pl-3 text-xs text-soft">
        <span className="min-w-0 flex-1 truncate">{known?.name ?? (language || say.text)}</span>
        <IconButton
          label={say.wrap}
          aria-pressed={wrap}
          onClick={() => setWrap(!wrap)}
          className="size-7 aria-pressed:text-accent"
        >
          <WrapText size={14} />
        </IconButton>
        <CopyButton text={text} label={say.copy} />
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className={`max-h-[70vh] overflow-auto p-3 font-mono text-[13px] leading-relaxed ${wrap ? "break-words whitespace-pre-wrap" : ""}`}
      >
        <Painted text={text} language={language} />
      </pre>
    </figure>
  );
}

/** Code as it is written, coloured. */
export function Painted({ text, language = "" }: Omit<Props, "live">) {
  const chunks = useMemo(() => chunked(text), [text]);
  const lines = useLines(chunks, language);
  return (
    <code>
      {chunks.map((chunk, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a chunk is its place
        <Chunk key={i} text={chunk} lines={lines[i]} last={i === chunks.length - 1} />
      ))}
    </code>
  );
}

const linesInChunk = 50;
const chunksAtOnce = 8;

/** A text in chunks of whole lines, without the line breaks between them. */
export function chunked(text: string): string[] {
  const lines = text.split("\n");
  const chunks: string[] = [];
  for (let i = 0; i < lines.length; i += linesInChunk) {
    chunks.push(lines.slice(i, i + linesInChunk).join("\n"));
  }
  return chunks;
}

function useLines(chunks: readonly string[], language: string): Line[][] {
  const [painter, setPainter] = useState<Painter>();
  const latest = useRef(chunks);
  latest.current = chunks;
  const [turn, next] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    setPainter(undefined);
    const known = languageOf(language);
    if (!known) {
      return;
    }
    let stop = () => {};
    let current = true;
    const show = (p: Painter) => {
      stop = inTurn(() => {
        p.lines(latest.current, chunksAtOnce);
        setPainter(p);
      });
    };
    import("./highlight")
      .then((m) => m.painter(known))
      .then((p) => current && show(p))
      .catch(() => {}); // without colours it can be read as well
    return () => {
      current = false;
      stop();
    };
  }, [language]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn colours more
  const lines = useMemo(() => painter?.lines(chunks, chunksAtOnce) ?? [], [painter, chunks, turn]);
  useEffect(() => {
    if (painter && lines.length < chunks.length) {
      const timer = setTimeout(next);
      return () => clearTimeout(timer);
    }
  }, [painter, lines, chunks]);
  return lines;
}

/** Some lines of code. Each chunk is a box of its own, so that a long text that grows is not laid out anew. */
const Chunk = memo(function Chunk({ text, lines, last }: { text: string; lines?: Line[]; last: boolean }) {
  return (
    <span className="block">
      {lines
        ? lines.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <span key={i}>
              {line.map((part, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
                <span key={j} style={{ color: part.color }}>
                  {part.text}
                </span>
              ))}
              {i < lines.length - 1 && "\n"}
            </span>
          ))
        : text}
      {!last && "\n"}
    </span>
  );
});
