import { Link } from "wouter";
import { chatPath, documentPath } from "../place";
import { Markdown } from "../ui/markdown";
import { type ToolView, textOf } from "./view";

/** 1. Title (path), then a passage in the next line. */
const hit = /^\d+\. (.*) \((\S+)\)\n {3}(.*)$/gm;

export const documentViews: Readonly<Record<string, ToolView>> = {
  search_documents: {
    brief: (args) => textOf(args, "query"),
    output: (text) => {
      const hits = [...text.matchAll(hit)];
      return hits.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-panel text-sm">
          {hits.map(([, title = "", path = "", passage]) => (
            <li key={path} className="px-3 py-1.5">
              <Found title={title} path={path} />
              <p className="break-words text-soft">{passage}</p>
            </li>
          ))}
        </ul>
      ) : undefined;
    },
  },
  read_document: {
    brief: (args) => textOf(args, "title") ?? textOf(args, "search") ?? textOf(args, "id"),
    output: (text) => {
      const [, title = "", version, id = "", rest = ""] = document.exec(text) ?? [];
      const [about = "", content] = [
        rest.slice(0, rest.indexOf("\n\n")),
        rest.slice(rest.indexOf("\n\n") + 2),
      ];
      return id ? (
        <div className="overflow-hidden rounded-lg border border-line bg-panel text-sm">
          <div className="border-b border-line px-3 py-1.5">
            <Link href={documentPath(id)} className="text-accent hover:underline">
              {unquoted(title)} ({version})
            </Link>
            <p className="text-xs whitespace-pre-line text-soft">{about.trim()}</p>
          </div>
          <div
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className="max-h-[50vh] overflow-auto px-3 py-2"
          >
            <Markdown text={content} />
          </div>
        </div>
      ) : undefined;
    },
  },
  write_document: {
    brief: (args) => textOf(args, "title"),
    input: (args) => {
      const content = textOf(args, "content");
      return content ? (
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-[50vh] overflow-auto rounded-lg border border-line bg-panel px-3 py-2 text-sm"
        >
          {textOf(args, "title") && <p className="mb-1 font-semibold">{textOf(args, "title")}</p>}
          <Markdown text={content} />
        </div>
      ) : undefined;
    },
  },
};

/** Document "Title", version 2, id d1, saved by ann at …, and what is shown of it. */
const document = /^Document ("(?:[^"\\]|\\.)*"), (version \d+), id (\S+), saved by [^\n]*\n([\s\S]*)$/;

/** As the server quotes it, which is nearly JSON. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** What was found: in a chat it can be gone to. */
function Found({ title, path }: { title: string; path: string }) {
  const chat = /^chats\/([^/]+)/.exec(path)?.[1];
  return chat ? (
    <Link href={chatPath(chat)} className="font-medium text-accent hover:underline">
      {title}
    </Link>
  ) : (
    <span className="font-medium">{title}</span>
  );
}
