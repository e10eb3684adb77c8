import { useId } from "react";
import type { Doc } from "../api/graphs";
import { Field, inputLook } from "../ui/field";
import { words } from "../words/graphs";
import type { Edit } from "./work";

const say = words.graphpanel;

/** What is said about the graph as a whole. */
export function GraphPanel({ doc, readOnly, edit }: { doc: Doc; readOnly: boolean; edit: Edit }) {
  const id = useId();
  return (
    <section aria-label={say.whole} className="space-y-4">
      <Field
        label={say.name}
        value={doc.name}
        maxLength={200}
        disabled={readOnly}
        error={doc.name.trim() ? "" : say.needsName}
        onChange={(name) => edit((d) => ({ ...d, name }), "name")}
      />
      <div>
        <label htmlFor={id} className="mb-1 block text-sm font-medium">
          {say.description}
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
        label={say.turnsAtMost}
        type="number"
        min={1}
        max={10_000}
        value={doc.maxResolutions || ""}
        disabled={readOnly}
        hint={say.whyTurns}
        onChange={(text) => edit((d) => ({ ...d, maxResolutions: Number(text) || undefined }), "turns")}
      />
      <p className="text-sm text-faint">{say.help}</p>
    </section>
  );
}
