import { useEffect, useState } from "react";
import { type Doc, type Report, validateGraph } from "../api/graphs";
import { type Found, listProblems } from "./problems";

/** How long nothing changes before the server is asked. */
const pause = 300;

/**
 * What the server finds wrong with a graph while it is drawn; undefined until it
 * was asked about this very graph.
 */
export function useReport(doc: Doc | undefined): { found: Found[]; current: boolean } {
  const [answer, setAnswer] = useState<{ doc: Doc; report: Report }>();
  useEffect(() => {
    if (!doc) {
      return;
    }
    let gone = false;
    const timer = setTimeout(() => {
      validateGraph(doc).then(
        (report) => !gone && setAnswer({ doc, report }),
        () => {}, // saving says what is wrong, and without a server there is nothing to say
      );
    }, pause);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [doc]);
  return { found: answer ? listProblems(answer.doc, answer.report) : [], current: answer?.doc === doc };
}
