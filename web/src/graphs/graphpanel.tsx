import { useId } from "react";
import type { Doc } from "../api/graphs";
import { Field, inputLook } from "../ui/field";
import type { Edit } from "./work";

/** What is said about the graph as a whole. */
export function GraphPanel({ doc, readOnly, edit }: { doc: Doc; readOnly: boolean; edit: Edit }) {
  const id = useId();
  return (
    <section aria-label="The graph as a whole" className="space-y-4">
      <Field
        label="Name of the graph"
        value={doc.name}
        maxLength={200}
        disabled={readOnly}
        error={doc.name.trim() ? "" : "A graph needs a name."}
        onChange={(name) => edit((d) => ({ ...d, name }), "name")}
      />
      <div>
        <label htmlFor={id} className="mb-1 block text-sm font-medium">
          Description
        </label>
        <textarea
          id={id}
          rows={3}
          value={doc.description}
          disabled={readOnly}
          onChange={(e) => edit((d) => ({ ...d, description: e.target.value }), "description")}
          className={inputLook}
        />
      </div>
      <Field
        label="Turns at most"
        type="number"
        min={1}
        max={10_000}
        value={doc.maxResolutions || ""}
        disabled={readOnly}
        hint="So a circle that does not end fails the run."
        onChange={(text) => edit((d) => ({ ...d, maxResolutions: Number(text) || undefined }), "turns")}
      />
      <p className="text-sm text-faint">
        Choose a node to change it. Drag from one port to another to connect them, or use the form of a node.
        Ctrl+Z and Ctrl+Y undo and redo, Ctrl+C and Ctrl+V copy and paste, Delete removes, F shows all.
      </p>
    </section>
  );
}
