import { memo, useRef, useState } from "react";
import { directionOf, isAligned, long, pieces } from "../thread/verbatim";
import { words } from "../words";

const say = words.chat;

/** Long texts that somebody wants to see whole. Rows leave the page when one scrolls, and come back as they were. */
const whole = new Set<string>();

interface Props {
  text: string;
  /** What the text is part of, by its id. */
  id: string;
}

/** The text of a person, character for character: it is no Markdown. */
export const Verbatim = memo(function Verbatim({ text, id }: Props) {
  const [all, setAll] = useState(whole.has(id));
  const folded = long(text);
  const box = useRef<HTMLDivElement>(null);
  const open = () => {
    whole.add(id);
    setAll(true);
  };
  const close = () => {
    whole.delete(id);
    // What is read is far below the beginning. One goes there first: the list keeps what is
    // in sight where it is when rows change their height.
    box.current?.scrollIntoView({ block: "start" });
    requestAnimationFrame(() => setAll(false));
  };
  return (
    <>
      <div
        ref={box}
        data-verbatim
        dir={directionOf(text)}
        className={`scroll-mt-8 [overflow-wrap:anywhere] whitespace-pre-wrap [tab-size:4] [unicode-bidi:plaintext] ${isAligned(text) ? "font-mono text-[13px]" : ""}`}
      >
        {pieces(folded && !all ? folded.head : text).map((p, i) =>
          p.link ? (
            <a
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text stay where they are
              key={i}
              href={p.text}
              target="_blank"
              rel="noreferrer noopener"
              className="underline decoration-edge underline-offset-2 hover:decoration-accent"
            >
              {p.text}
            </a>
          ) : (
            p.text
          ),
        )}
      </div>
      {folded && (
        <button
          type="button"
          aria-expanded={all}
          onClick={all ? close : open}
          className="mt-1 rounded text-sm font-medium text-accent hover:underline pointer-coarse:min-h-9"
        >
          {all
            ? say.showLess
            : folded.lines > 1
              ? say.showLines(folded.lines)
              : say.showCharacters(folded.characters)}
        </button>
      )}
    </>
  );
});
