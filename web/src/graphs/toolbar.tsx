import { ArrowLeft, Download, LayoutGrid, Plus, Redo2, Save, Undo2 } from "lucide-react";
import { Link } from "wouter";
import { pages } from "../place";
import { Button, IconButton } from "../ui/button";
import { MenuButton } from "../ui/drawer";
import { words } from "../words/graphs";
import { exported, fileName } from "./exchange";
import { download } from "./file";
import { ImportButton } from "./filebutton";
import type { Work } from "./work";

const say = words.toolbar;

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
      <MenuButton />
      <Link
        href={pages.graphs}
        aria-label={say.allGraphs}
        title={say.allGraphs}
        className="inline-flex size-8 items-center justify-center rounded-lg text-soft hover:bg-hover"
      >
        <ArrowLeft size={16} aria-hidden />
      </Link>
      <h1 className="min-w-24 flex-1 truncate font-semibold">{doc.name || say.nameless}</h1>
      <span role="status" className="px-1 text-xs text-faint">
        {saving ? say.saving : dirty ? say.notSaved : say.saved}
      </span>
      <IconButton label={say.addNode} aria-expanded={palette} onClick={onPalette}>
        <Plus size={16} />
      </IconButton>
      <IconButton label={say.undo} disabled={readOnly || !work.canUndo} onClick={work.undo}>
        <Undo2 size={16} />
      </IconButton>
      <IconButton label={say.redo} disabled={readOnly || !work.canRedo} onClick={work.redo}>
        <Redo2 size={16} />
      </IconButton>
      <IconButton label={say.arrange} disabled={readOnly} onClick={onLayout}>
        <LayoutGrid size={16} />
      </IconButton>
      <Button
        icon={<Download size={15} aria-hidden />}
        onClick={() => download(fileName(doc.name), exported(doc))}
      >
        {say.export}
      </Button>
      {!readOnly && <ImportButton onText={onImport} />}
      <Button
        kind="primary"
        icon={<Save size={15} aria-hidden />}
        disabled={readOnly || saving || !dirty}
        onClick={() => void work.save()}
      >
        {say.save}
      </Button>
    </header>
  );
}
