import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError, explain } from "../api/http";
import { type RunTree, readTree, type Source } from "../api/runs";
import { live } from "../data/store";
import { useNow } from "../ui/now";
import { build, merged } from "./tree";

/** How long after a change the tree is read again, so that many changes are one reading. */
const pauseMs = 400;
/** How often it is read again while the run is under way and nothing is heard of it. */
const pollMs = 3000;

/** A run, kept up to date while it is under way. */
export function useRun({ run, token }: Source) {
  const [tree, setTree] = useState<RunTree>();
  const [error, setError] = useState("");
  const [gone, setGone] = useState(false);
  const newest = useRef<RunTree>(undefined);
  const reading = useRef(false);
  const [ahead, setAhead] = useState(0); // by how much the server's clock is

  const read = useCallback(async () => {
    if (reading.current) {
      return;
    }
    reading.current = true;
    try {
      const before = newest.current;
      const news = await readTree({ run, token }, before?.seq);
      newest.current = before ? { ...news, rows: merged(before.rows, news.rows) } : news;
      setAhead(news.now - Date.now());
      setTree(newest.current);
      setError("");
    } catch (e) {
      setGone(e instanceof ApiError && e.status === 404);
      setError(explain(e));
    } finally {
      reading.current = false;
    }
  }, [run, token]);

  useEffect(() => {
    newest.current = undefined;
    setTree(undefined);
    void read();
  }, [read]);

  const going = tree !== undefined && ["running", "waiting"].includes(tree.run.status);
  const chatId = tree?.run.chatId;
  useEffect(() => {
    if (!going) {
      return;
    }
    const poll = setInterval(read, pollMs);
    let soon: ReturnType<typeof setTimeout> | undefined;
    const unwatch = token
      ? undefined
      : live.watch(({ path }) => {
          if ((chatId && path.includes(`/orch-chats/${chatId}/`)) || path.endsWith(`/runs/${run}`)) {
            soon ??= setTimeout(() => {
              soon = undefined;
              void read();
            }, pauseMs);
          }
        });
    return () => {
      clearInterval(poll);
      clearTimeout(soon);
      unwatch?.();
    };
  }, [going, chatId, run, token, read]);

  const now = useNow(tree?.run.status === "running") + ahead;
  const root = useMemo(() => tree && build(tree.rows, going ? now : tree.now), [tree, going, now]);
  return { tree, root, error, gone, going, reload: read };
}
