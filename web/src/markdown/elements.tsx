import { Square, SquareCheck } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Link } from "wouter";
import { base } from "../base";
import { isPagePath } from "../place";
import { words } from "../words";

const say = words.render.text;

export function TextLink({ href, children }: ComponentProps<"a">) {
  if (!href) {
    return <span>{children}</span>; // its address was none that is safe to go to
  }
  // Agents link to the documents that they write, and to chats.
  return isPagePath(href) ? (
    <Link href={href}>{children}</Link>
  ) : (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

/** A picture of this server. Pictures of elsewhere would tell others what is read here: they are links. */
export function Picture({ src, alt }: ComponentProps<"img">) {
  if (typeof src !== "string" || src === "") {
    return alt ? <span>{alt}</span> : null;
  }
  const ours = /^\/api\/v1\/(?:files|chats)\/[^?#]+$/.test(src);
  return ours || src.startsWith("data:") ? (
    <img src={ours ? base + src : src} alt={alt ?? ""} loading="lazy" />
  ) : (
    <a href={src} target="_blank" rel="noreferrer noopener">
      {alt || say.picture}
    </a>
  );
}

/** A table that is wider than the text scrolls by itself. */
export function WideTable({ children }: ComponentProps<"table">) {
  return (
    <section
      aria-label={say.table}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line"
    >
      <table>{children}</table>
    </section>
  );
}

/** The box of a task in a list. */
export function TaskMark({ checked }: ComponentProps<"input">) {
  const Icon = checked ? SquareCheck : Square;
  return (
    <span role="img" aria-label={checked ? say.done : say.open} className="task-mark">
      <Icon size={15} className={checked ? "text-good" : "text-faint"} />
    </span>
  );
}

/** The page has its own first heading: those of a text are below it. */
export function heading(level: 1 | 2 | 3 | 4 | 5 | 6) {
  const Tag = `h${Math.min(level + 1, 6)}` as "h2";
  return function Heading({ children }: { children?: ReactNode }) {
    return <Tag data-level={level}>{children}</Tag>;
  };
}
