import { useEffect, useState } from "react";
import { CopyButton } from "./copy";
import type { Line } from "./highlight";

/** Code, coloured once the colours are loaded. */
export function CodeBlock({ text, language }: { text: string; language?: string }) {
  const [lines, setLines] = useState<Line[]>();
  useEffect(() => {
    if (!language) {
      return;
    }
    let current = true;
    import("./highlight")
      .then((m) => m.highlight(text, language))
      .then((result) => current && setLines(result))
      .catch(() => {});
    return () => {
      current = false;
    };
  }, [text, language]);
  return (
    <div className="group/code relative rounded-lg border border-line bg-panel">
      <div className="absolute top-1 right-1 opacity-60 transition-opacity group-hover/code:opacity-100 focus-within:opacity-100">
        <CopyButton text={text} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 pr-10 font-mono text-[13px] leading-relaxed">
        {lines && textOf(lines) === text ? <Coloured lines={lines} /> : text}
      </pre>
    </div>
  );
}

function Coloured({ lines }: { lines: Line[] }) {
  return lines.map((line, i) => (
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
  ));
}

const textOf = (lines: Line[]) => lines.map((line) => line.map((p) => p.text).join("")).join("\n");
