import { ExternalLink } from "lucide-react";
import { Markdown } from "../ui/markdown";
import { type ToolView, textOf } from "./view";

/** URL: https://… and perhaps Title: …, then the page in Markdown. */
const page = /^URL: (https?:\/\/\S+)\n(?:Title: (.*)\n)?\n([\s\S]*)$/;

export const webViews: Readonly<Record<string, ToolView>> = {
  web_fetch: {
    brief: (args) => textOf(args, "url"),
    output: (text) => {
      const [, url = "", title, content = ""] = page.exec(text) ?? [];
      return url ? (
        <div className="overflow-hidden rounded-lg border border-line bg-panel">
          <a
            href={url}
            target="_blank"
            rel="noreferrer noopener"
            className="flex items-center gap-1.5 border-b border-line px-3 py-1.5 text-sm text-accent hover:underline"
          >
            <ExternalLink size={14} className="shrink-0" aria-hidden />
            <span className="truncate">{title || url}</span>
          </a>
          <Reading text={content} />
        </div>
      ) : undefined;
    },
  },
  tavily_search: {
    brief: (args) => textOf(args, "query"),
    output: (text) => (
      <div className="rounded-lg border border-line bg-panel">
        <Reading text={text} />
      </div>
    ),
  },
};

/** A text to read, in a box that scrolls. */
function Reading({ text }: { text: string }) {
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[50vh] overflow-auto px-3 py-2 text-sm"
    >
      <Markdown text={text} />
    </div>
  );
}
