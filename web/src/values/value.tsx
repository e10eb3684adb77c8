import { Braces, Download, FileDiff, FileText, ListTree, Table2 } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { Difference } from "../documents/difference";
import { pretty } from "../thread/format";
import { IconButton } from "../ui/button";
import { CodeBlock } from "../ui/code";
import { CopyButton } from "../ui/copy";
import { save } from "../ui/save";
import { words } from "../words";
import { type Shape, shapeOf } from "./shape";
import { RowTable } from "./table";
import { Tree } from "./tree";

const say = words.render.value;

interface Props {
  /** What it is: input, output. Names files, and the view for those who do not see it. */
  name: string;
  text: string;
  /** A view that knows more about it than its shape tells. */
  special?: ReactNode;
}

/** A text that went into a tool or came out of one, shown as what it is; as it was on demand. */
export function Value({ name, text, special }: Props) {
  const shape = useMemo(() => shapeOf(text), [text]);
  const [raw, setRaw] = useState(false);
  const hasView = special !== undefined || shape.kind !== "text";
  const isJson = shape.kind === "tree" || shape.kind === "table";
  return (
    <div data-shape={special ? "special" : shape.kind} className="space-y-1">
      <div className="flex items-center justify-end gap-1">
        {hasView && (
          <IconButton label={raw ? say.view : say.raw} onClick={() => setRaw(!raw)} className="size-7">
            {raw ? <ViewIcon kind={shape.kind} /> : <Braces size={14} />}
          </IconButton>
        )}
        <CopyButton text={text} label={say.copyAll} />
        <IconButton
          label={say.download}
          onClick={() =>
            save(
              `${name.toLowerCase()}.${isJson ? "json" : "txt"}`,
              text,
              isJson ? "application/json" : "text/plain",
            )
          }
          className="size-7"
        >
          <Download size={14} />
        </IconButton>
      </div>
      {!raw && special ? special : <Shaped name={name} text={text} shape={raw ? undefined : shape} />}
    </div>
  );
}

function ViewIcon({ kind }: { kind: Shape["kind"] }) {
  const Icon = { tree: ListTree, table: Table2, diff: FileDiff, text: FileText }[kind];
  return <Icon size={14} />;
}

function Shaped({ name, text, shape }: { name: string; text: string; shape?: Shape }) {
  switch (shape?.kind) {
    case "tree":
      return <Tree value={shape.value} label={name} />;
    case "table":
      return <RowTable rows={shape.value} columns={shape.columns} label={name} />;
    case "diff":
      return <Difference label={name} unified={text} />;
    default:
      return <CodeBlock text={pretty(text)} language={/^\s*[[{]/.test(text) ? "json" : undefined} />;
  }
}
