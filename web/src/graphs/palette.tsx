import { Search } from "lucide-react";
import { useId, useState } from "react";
import type { NodeType } from "../api/graphs";
import { inputLook } from "../ui/field";
import { words } from "../words/graphs";
import { draggedType } from "./canvas";
import { portColour } from "./looks";
import { matchingTypes } from "./search";

const say = words.palette;

interface Props {
  types: readonly NodeType[];
  onAdd: (type: string) => void;
}

/** All types of nodes: to drag onto the canvas, or to add with a press. */
export function Palette({ types, onAdd }: Props) {
  const [words, setWords] = useState("");
  const id = useId();
  const found = matchingTypes(types, words);
  return (
    <section aria-label={say.nodeTypes} className="flex h-full min-h-0 flex-col">
      <div className="relative p-2">
        <label htmlFor={id} className="sr-only">
          {say.search}
        </label>
        <Search size={14} aria-hidden className="absolute top-4.5 left-4.5 text-faint" />
        <input
          id={id}
          type="search"
          value={words}
          placeholder={say.search}
          onChange={(e) => setWords(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && found[0]) {
              onAdd(found[0].id);
            }
          }}
          className={`${inputLook} pl-8!`}
        />
      </div>
      <ul className="min-h-0 flex-1 space-y-1 overflow-y-auto px-2 pb-2">
        {found.map((t) => (
          <li key={t.id}>
            <button
              type="button"
              draggable
              title={t.description}
              onDragStart={(e) => {
                e.dataTransfer.setData(draggedType, t.id);
                e.dataTransfer.effectAllowed = "copy";
              }}
              onClick={() => onAdd(t.id)}
              className="w-full rounded-lg border border-line bg-raised px-2.5 py-1.5 text-left hover:bg-hover"
            >
              <span className="flex items-center gap-1 text-sm">
                <span className="min-w-0 flex-1 truncate">{t.id}</span>
                {[...new Set(t.outputs.map((p) => p.type))].slice(0, 5).map((type) => (
                  <span
                    key={type}
                    className="size-2 shrink-0 rounded-full"
                    style={{ background: portColour(type) }}
                  />
                ))}
              </span>
              <span className="line-clamp-2 text-xs text-faint">{t.description}</span>
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="px-2 py-1 text-sm text-faint">{say.none}</li>}
      </ul>
    </section>
  );
}
