import { useEffect } from "react";
import { headline } from "../thread/format";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { useRun } from "./userun";
import { RunView } from "./view";

const say = words.share;

/** A run for somebody who has a link to it, and need not sign in. */
export default function SharedRun({ token }: { token: string }) {
  const { tree, root, error, gone, going } = useRun({ token });
  useEffect(() => {
    document.title = say.shared;
  }, []);
  if (gone) {
    return (
      <main className="mx-auto max-w-md p-8">
        <h1 className="mb-2 text-lg font-semibold">{say.dead}</h1>
        <p className="text-soft">{say.deadWhy}</p>
      </main>
    );
  }
  if (!tree || !root) {
    return (
      <main className="p-6">
        {error ? <Notice text={error} /> : <p className="text-faint">{words.runs.loading}</p>}
      </main>
    );
  }
  return (
    <main className="flex h-dvh flex-col">
      {error && <Notice text={error} />}
      <RunView
        source={{ token }}
        root={root}
        title={headline(root.row.label ?? "") || words.runs.kinds[root.row.kind]}
        going={going}
        before={<span className="rounded-full bg-hover px-2 py-0.5 text-xs text-soft">{say.readOnly}</span>}
      />
    </main>
  );
}
