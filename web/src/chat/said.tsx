import { FileText, Music } from "lucide-react";
import { fileUrl } from "../api/files";
import type { Part } from "../api/types";
import { textOf } from "../data/written";
import { bytes } from "../thread/format";
import { isPicture } from "../thread/media";
import { Verbatim } from "./verbatim";

interface Props {
  /** Of the message. */
  id: string;
  content: string;
  parts?: readonly Part[] | null;
  /** The chat whose messages name the files; without it they are one's own. */
  chatId?: string;
}

/** What a person says: the text as it was written, and the files below. */
export function Said({ id, content, parts, chatId }: Props) {
  if (!parts?.length) {
    return <Verbatim id={id} text={content} />;
  }
  const text = textOf(parts);
  return (
    <>
      {text && <Verbatim id={id} text={text} />}
      <Files parts={parts} chatId={chatId} />
    </>
  );
}

/** The files that parts name: pictures small, all others as something to open. */
export function Files({ parts, chatId }: Omit<Props, "id" | "content">) {
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
