import { useCallback, useState } from "react";
import { diffText, diffVersions, isGone, type TextDocument } from "../api/documents";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { useLoaded } from "../ui/loaded";
import { words } from "../words/documents";
import { phrase } from "../words/phrase";
import { nameOf } from "./author";
import { Difference } from "./difference";
import type { Draft } from "./drafts";

const say = words.late;

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
      aria-label={say.savedMeanwhile}
      className="max-h-[70%] shrink-0 space-y-2 overflow-y-auto border-b border-line bg-wait-wash px-4 py-3"
    >
      <p role="alert" className="text-sm">
        {phrase(say.late(latest.number), {
          who: <span className="font-medium text-wait">{nameOf(latest.writtenBy)}</span>,
        })}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button aria-expanded={comparing} onClick={() => setComparing(!comparing)}>
          {say.compare}
        </Button>
        <Button kind="primary" disabled={busy} onClick={onSave}>
          {say.saveMine}
        </Button>
        <ConfirmButton
          label={say.takeTheirs}
          sure={say.reallyDiscard}
          disabled={busy}
          onConfirm={onDiscard}
        />
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
        <h3 className="mb-1 text-xs font-medium text-soft">{say.changedMeanwhile}</h3>
        <div className="rounded-lg bg-page">
          <Difference label={say.changedMeanwhile} unified={changed.value} error={changed.error} />
        </div>
      </div>
      <div>
        <h3 className="mb-1 text-xs font-medium text-soft">{say.toMine(latest.number)}</h3>
        <div className="rounded-lg bg-page">
          <Difference label={say.onTop} unified={apart.value} error={apart.error} />
        </div>
      </div>
    </div>
  );
}
