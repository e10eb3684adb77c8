import { useCallback, useEffect, useRef, useState } from "react";
import { createGraph, type Doc, getGraph, type SavedGraph, saveGraph } from "../api/graphs";
import { ApiError, explain } from "../api/http";
import { live } from "../data/store";
import { loadDraft, removeDraft, saveDraft } from "./draft";
import { docOf, same } from "./drawing";
import { begin, commit, type History, redo, undo } from "./history";

interface State {
  /** What the work began with. */
  base: SavedGraph;
  history: History<Doc>;
}

export type Edit = (change: (doc: Doc) => Doc, about?: string) => void;

/**
 * The work on a graph. Every change is kept in the browser at once, and goes to the
 * server when it is saved: a graph that is half drawn must not run. If somebody
 * saved a newer version meanwhile, nothing is overwritten: work without changes of its
 * own goes on with that version, and else the person decides.
 */
export function useWork(id: string) {
  const [state, setState] = useState<State>();
  const [error, setError] = useState("");
  const [saving, setSaving] = useState(false);
  /** The newer version that somebody else saved. */
  const [newer, setNewer] = useState<SavedGraph>();
  const now = useRef<State>(undefined);
  now.current = state;

  useEffect(() => {
    let gone = false;
    getGraph(id).then(
      (saved) => {
        if (gone) {
          return;
        }
        const draft = loadDraft(id);
        const history = begin(docOf(saved));
        if (!draft || same(draft.doc, saved)) {
          setState({ base: saved, history });
          return;
        }
        setState({ base: { ...saved, version: draft.version }, history: commit(history, draft.doc) });
        setNewer(draft.version === saved.version ? undefined : saved);
      },
      (e: unknown) => !gone && setError(explain(e)),
    );
    return () => {
      gone = true;
    };
  }, [id]);

  const busy = useRef(false);
  useEffect(() => {
    let gone = false;
    /** A save of this page tells itself what it has led to. */
    const take = (saved: SavedGraph) => {
      const s = now.current;
      if (gone || busy.current || !s || saved.version <= s.base.version) {
        return;
      }
      if (same(s.history.present, saved)) {
        setState({ ...s, base: saved });
      } else if (same(s.history.present, s.base)) {
        setState({ base: saved, history: commit(s.history, docOf(saved)) });
      } else {
        setNewer(saved);
      }
    };
    const look = () => getGraph(id).then(take, () => {}); // whoever saves is told if it is away
    let begun = live.begun;
    const stops = [
      live.watch((change) => {
        if (change.collection === "agent_graphs") {
          void look();
        }
      }),
      live.subscribe(() => {
        if (live.begun !== begun) {
          begun = live.begun;
          void look();
        }
      }),
    ];
    return () => {
      gone = true;
      for (const stop of stops) {
        stop();
      }
    };
  }, [id]);

  const doc = state?.history.present;
  const dirty = state !== undefined && !same(state.history.present, state.base);
  const version = state?.base.version;
  useEffect(() => {
    if (doc && version !== undefined && dirty) {
      saveDraft(id, { version, doc });
    } else if (doc) {
      removeDraft(id);
    }
  }, [id, doc, version, dirty]);

  const step = useCallback((of: (h: History<Doc>) => History<Doc>) => {
    setState((s) => s && { ...s, history: of(s.history) });
  }, []);
  const edit = useCallback<Edit>((change, about) => step((h) => commit(h, change(h.present), about)), [step]);

  /** Reports whether all is saved. */
  const save = useCallback(
    async (over?: number): Promise<boolean> => {
      const s = now.current;
      if (!s) {
        return false;
      }
      busy.current = true;
      setSaving(true);
      setError("");
      try {
        const base = await saveGraph(id, over ?? s.base.version, docOf(s.history.present));
        setState((latest) => latest && { ...latest, base });
        setNewer(undefined);
        return true;
      } catch (e) {
        const late = e instanceof ApiError && e.code === "conflict";
        const found = late ? await getGraph(id).catch(() => undefined) : undefined;
        setNewer(found);
        setError(found ? "" : explain(e));
        return false;
      } finally {
        busy.current = false;
        setSaving(false);
      }
    },
    [id],
  );

  /** Goes on with what somebody else saved. Undo brings the own work back. */
  const takeNewer = useCallback(() => {
    if (newer) {
      setState((s) => s && { base: newer, history: commit(s.history, docOf(newer)) });
      setNewer(undefined);
    }
  }, [newer]);

  /** Saves the work as another graph and returns its id. */
  const saveCopy = useCallback(async (): Promise<string | undefined> => {
    const mine = now.current?.history.present ?? loadDraft(id)?.doc;
    if (!mine) {
      return undefined;
    }
    try {
      const made = await createGraph({ ...docOf(mine), name: `${mine.name} (copy)` });
      removeDraft(id);
      return made.id;
    } catch (e) {
      setError(explain(e));
      return undefined;
    }
  }, [id]);

  return {
    doc,
    dirty,
    saving,
    error,
    newer,
    canUndo: (state?.history.past.length ?? 0) > 0,
    canRedo: (state?.history.future.length ?? 0) > 0,
    edit,
    undo: useCallback(() => step(undo), [step]),
    redo: useCallback(() => step(redo), [step]),
    save,
    keepMine: () => save(newer?.version),
    takeNewer,
    saveCopy,
    clearError: () => setError(""),
  };
}

export type Work = ReturnType<typeof useWork>;
