import { FileText, Music } from "lucide-react";
import { fileUrl } from "../api/files";
import type { Part } from "../api/types";
import { bytes } from "../thread/format";
import { isPicture } from "../thread/media";
import { Markdown } from "../ui/markdown";

interface Props {
  content: string;
  parts?: readonly Part[] | null;
  /** The chat whose messages name the files; without it they are one's own. */
  chatId?: string;
}

/** What a message says: its text, and its files below. */
export function Said({ content, parts, chatId }: Props) {
  if (!parts?.length) {
    return <Markdown text={content} />;
  }
  const text = parts
    .filter((p) => p.type === "text")
    .map((p) => p.text)
    .join("\n\n");
  return (
    <>
      {text && <Markdown text={text} />}
      <Files parts={parts} chatId={chatId} />
    </>
  );
}

/** The files that parts name: pictures small, all others as something to open. */
export function Files({ parts, chatId }: Omit<Props, "content">) {
  const files = new Map(parts?.filter((p) => p.fileId).map((p) => [p.fileId, p])); // one that is named twice is shown once
  if (files.size === 0) {
    return null;
  }
  return (
    <ul className="my-1 flex flex-wrap gap-2">
      {[...files].map(([id = "", p]) => (
        <li key={id} className="max-w-full">
          <Attached part={p} url={fileUrl(id, chatId)} />
        </li>
      ))}
    </ul>
  );
}

function Attached({ part, url }: { part: Part; url: string }) {
  const name = part.name || part.type;
  if (isPicture(part.mediaType)) {
    return (
      <a href={url} target="_blank" rel="noreferrer" title={name}>
        <img
          src={url}
          alt={name}
          loading="lazy"
          className="max-h-48 max-w-full rounded-lg border border-line object-contain"
        />
      </a>
    );
  }
  return (
    <a
      href={url}
      download={name}
      className="flex max-w-full items-center gap-1.5 rounded-lg border border-line bg-page px-2 py-1 text-sm hover:border-accent"
    >
      {part.type === "audio" ? (
        <Music size={14} className="shrink-0 text-soft" aria-hidden />
      ) : (
        <FileText size={14} className="shrink-0 text-soft" aria-hidden />
      )}
      <span className="truncate">{name}</span>
      <span className="shrink-0 text-xs text-faint">{bytes(part.size ?? 0)}</span>
    </a>
  );
}
