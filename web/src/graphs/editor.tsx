import { ReactFlowProvider } from "@xyflow/react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { listNodeTypes } from "../api/graphs";
import { graphPath, pages } from "../place";
import { Button, buttonLook } from "../ui/button";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/graphs";
import { loadDraft } from "./draft";
import { Studio } from "./studio";
import { useWork, type Work } from "./work";

const say = words.editor;

/** The page of one graph. */
export default function Editor({ id }: { id: string }) {
  const work = useWork(id);
  const { value: list, error } = useLoaded(listNodeTypes);
  const types = useMemo(() => new Map(list?.map((t) => [t.id, t])), [list]);
  if (!work.doc || !list) {
    const problem = error || (work.doc ? "" : work.error);
    return (
      <main id="main" className="min-h-0 flex-1 space-y-3 overflow-y-auto p-8">
        <h1 className="text-xl font-semibold">{say.graph}</h1>
        {problem ? (
          <Missing id={id} problem={problem} work={work} />
        ) : (
          <p className="text-faint">{say.loading}</p>
        )}
      </main>
    );
  }
  return (
    <ReactFlowProvider>
      <Studio id={id} work={work} doc={work.doc} list={list} types={types} />
    </ReactFlowProvider>
  );
}

/** A graph that is not there any more may have left unsaved work. */
function Missing({ id, problem, work }: { id: string; problem: string; work: Work }) {
  const [, navigate] = useLocation();
  const copy = async () => {
    const made = await work.saveCopy();
    if (made) {
      navigate(graphPath(made));
    }
  };
  return (
    <>
      <Notice text={problem} />
      <div className="flex flex-wrap gap-2">
        <Link href={pages.graphs} className={buttonLook("plain")}>
          {say.allGraphs}
        </Link>
        {loadDraft(id) && <Button onClick={() => void copy()}>{say.saveUnsaved}</Button>}
      </div>
    </>
  );
}
