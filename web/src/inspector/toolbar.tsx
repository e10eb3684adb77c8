import { Download, Filter } from "lucide-react";
import { IconButton } from "../ui/button";
import { CopyButton } from "../ui/copy";
import { words } from "../words/inspector";

const say = words;

export type View = "steps" | "timeline";

interface Props {
  view: View;
  onView: (view: View) => void;
  failed: number;
  failedOnly: boolean;
  onFailedOnly: (only: boolean) => void;
  /** Everything that is known of the agent. */
  raw: () => unknown;
  name: string;
}

export function Toolbar({ view, onView, failed, failedOnly, onFailedOnly, raw, name }: Props) {
  const text = () => JSON.stringify(raw(), null, 2);
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text()], { type: "application/json" }));
    link.download = `${name}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div className="flex items-center gap-1 border-b border-line px-3 py-1">
      <div role="tablist" aria-label={say.views} className="flex gap-1">
        {(["steps", "timeline"] as const).map((v) => (
          <button
            key={v}
            type="button"
            role="tab"
            aria-selected={view === v}
            onClick={() => onView(v)}
            className={`rounded-md px-2.5 py-1 text-sm capitalize ${view === v ? "bg-hover font-medium" : "text-soft hover:text-ink"}`}
          >
            {say.view[v]}
          </button>
        ))}
      </div>
      <span className="flex-1" />
      <button
        type="button"
        aria-pressed={failedOnly}
        onClick={() => onFailedOnly(!failedOnly)}
        className={`flex items-center gap-1.5 rounded-md px-2 py-1 text-sm ${failedOnly ? "bg-bad-wash text-bad" : "text-soft hover:text-ink"}`}
      >
        <Filter size={14} aria-hidden /> {say.failed(failed)}
      </button>
      <CopyButton text={text()} label={say.copyAll} />
      <IconButton label={say.downloadAll} onClick={download} className="size-7">
        <Download size={14} />
      </IconButton>
    </div>
  );
}
