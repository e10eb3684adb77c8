import { useCallback, useState } from "react";
import { diffText, diffVersions, isGone, type TextDocument } from "../api/documents";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { useLoaded } from "../ui/loaded";
import { nameOf } from "./author";
import { Difference } from "./difference";
import type { Draft } from "./drafts";

interface Props {
  draft: Draft;
  latest: TextDocument;
  busy: boolean;
  onSave: () => void;
  onDiscard: () => void;
}

/** Somebody saved a version while this one was being written. Both are there until the person decides. */
export function Late({ draft, latest, busy, onSave, onDiscard }: Props) {
  const [comparing, setComparing] = useState(false);
  return (
    <section
      aria-label="Saved meanwhile"
      className="max-h-[70%] shrink-0 space-y-2 overflow-y-auto border-b border-line bg-wait-wash px-4 py-3"
    >
      <p role="alert" className="text-sm">
        <span className="font-medium text-wait">{nameOf(latest.writtenBy)}</span> saved version{" "}
        {latest.number} while you were writing. Your text is kept and not saved yet.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button aria-expanded={comparing} onClick={() => setComparing(!comparing)}>
          Compare
        </Button>
        <Button kind="primary" disabled={busy} onClick={onSave}>
          Save mine on top
        </Button>
        <ConfirmButton label="Take theirs" sure="Discard my text?" disabled={busy} onConfirm={onDiscard} />
      </div>
      {comparing && <Comparison draft={draft} latest={latest} />}
    </section>
  );
}

function Comparison({ draft, latest }: { draft: Draft; latest: TextDocument }) {
  const { baseId, content } = draft;
  const theirs = useCallback(
    // The version that the draft was made from may have been deleted.
    () => diffVersions(baseId, latest.id).catch((e) => (isGone(e) ? "" : Promise.reject(e))),
    [baseId, latest.id],
  );
  const mine = useCallback(() => diffText(latest.id, content), [latest.id, content]);
  const changed = useLoaded(theirs);
  const apart = useLoaded(mine);
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <div>
        <h3 className="mb-1 text-xs font-medium text-soft">What changed meanwhile</h3>
        <div className="rounded-lg bg-page">
          <Difference label="What changed meanwhile" unified={changed.value} error={changed.error} />
        </div>
      </div>
      <div>
        <h3 className="mb-1 text-xs font-medium text-soft">
          From version {latest.number} to your text: what saving on top does
        </h3>
        <div className="rounded-lg bg-page">
          <Difference label="What saving on top does" unified={apart.value} error={apart.error} />
        </div>
      </div>
    </div>
  );
}
