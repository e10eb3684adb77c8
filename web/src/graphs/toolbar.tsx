import { ArrowLeft, Download, LayoutGrid, Plus, Redo2, Save, Undo2 } from "lucide-react";
import { Link } from "wouter";
import { pages } from "../place";
import { Button, IconButton } from "../ui/button";
import { exported, fileName } from "./exchange";
import { download } from "./file";
import { ImportButton } from "./filebutton";
import type { Work } from "./work";

interface Props {
  work: Work;
  readOnly: boolean;
  /** Whether the palette is open, which is closed at first on a phone. */
  palette: boolean;
  onPalette: () => void;
  onLayout: () => void;
  onImport: (text: string) => void;
}

/** What can be done with the graph as a whole. */
export function Toolbar({ work, readOnly, palette, onPalette, onLayout, onImport }: Props) {
  const { doc, dirty, saving } = work;
  if (!doc) {
    return null;
  }
  return (
    <header className="flex flex-wrap items-center gap-1 border-b border-line px-2 py-1.5">
      <Link
        href={pages.graphs}
        aria-label="All graphs"
        title="All graphs"
        className="inline-flex size-8 items-center justify-center rounded-lg text-soft hover:bg-hover"
      >
        <ArrowLeft size={16} aria-hidden />
      </Link>
      <h1 className="min-w-24 flex-1 truncate font-semibold">{doc.name || "Without a name"}</h1>
      <span role="status" className="px-1 text-xs text-faint">
        {saving ? "Saving…" : dirty ? "Not saved" : "Saved"}
      </span>
      <IconButton label="Add a node" aria-expanded={palette} onClick={onPalette}>
        <Plus size={16} />
      </IconButton>
      <IconButton label="Undo" disabled={readOnly || !work.canUndo} onClick={work.undo}>
        <Undo2 size={16} />
      </IconButton>
      <IconButton label="Redo" disabled={readOnly || !work.canRedo} onClick={work.redo}>
        <Redo2 size={16} />
      </IconButton>
      <IconButton label="Arrange the nodes" disabled={readOnly} onClick={onLayout}>
        <LayoutGrid size={16} />
      </IconButton>
      <Button
        icon={<Download size={15} aria-hidden />}
        onClick={() => download(fileName(doc.name), exported(doc))}
      >
        Export
      </Button>
      {!readOnly && <ImportButton onText={onImport} />}
      <Button
        kind="primary"
        icon={<Save size={15} aria-hidden />}
        disabled={readOnly || saving || !dirty}
        onClick={() => void work.save()}
      >
        Save
      </Button>
    </header>
  );
}
