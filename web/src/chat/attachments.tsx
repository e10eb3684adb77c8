import { CircleAlert, FileText, LoaderCircle, RotateCw, X } from "lucide-react";
import { fileUrl } from "../api/files";
import { bytes } from "../thread/format";
import { isPicture } from "../thread/media";
import { IconButton } from "../ui/button";
import { words } from "../words";
import type { Attachment } from "./attaching";

const say = words.composer;

interface Props {
  list: readonly Attachment[];
  onRemove: (attachment: Attachment) => void;
}

/** The files of a message that is being written. */
export function Attachments({ list, onRemove }: Props) {
  if (list.length === 0) {
    return null;
  }
  return (
    <ul aria-label={say.attachedFiles} className="flex flex-wrap gap-2 px-1 pt-1 pb-2">
      {list.map((a) => (
        <li
          key={a.key}
          className={`flex max-w-full items-center gap-1.5 rounded-lg border px-2 py-1 text-sm ${a.error ? "border-bad/40 bg-bad-wash" : "border-line bg-page"}`}
        >
          <Sign attachment={a} />
          <span className="max-w-48 truncate" title={a.name}>
            {a.name}
          </span>
          {a.error ? (
            <span role="alert" className="text-xs text-bad">
              {a.error}
            </span>
          ) : (
            <span className="text-xs text-faint">{bytes(a.size)}</span>
          )}
          {a.again && (
            <IconButton
              label={say.uploadAgain(a.name)}
              onClick={a.again}
              className="size-6 pointer-coarse:size-9"
            >
              <RotateCw size={13} />
            </IconButton>
          )}
          <IconButton
            label={say.remove(a.name)}
            onClick={() => onRemove(a)}
            className="size-6 pointer-coarse:size-9"
          >
            <X size={13} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function Sign({ attachment: { part, error } }: { attachment: Attachment }) {
  if (error) {
    return <CircleAlert size={15} className="shrink-0 text-bad" aria-hidden />;
  }
  if (!part) {
    return <LoaderCircle size={15} className="shrink-0 animate-spin text-soft" aria-label={say.uploading} />;
  }
  if (isPicture(part.mediaType)) {
    return <img src={fileUrl(part.fileId ?? "")} alt="" className="size-8 shrink-0 rounded object-cover" />;
  }
  return <FileText size={15} className="shrink-0 text-soft" aria-hidden />;
}
