import { ArrowLeft, Download } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import {
  createDocument,
  deleteDocument,
  getVersion,
  isGone,
  isLate,
  listHistory,
  type Summary,
  saveVersion,
  type TextDocument,
} from "../api/documents";
import { useFollowed } from "../data/followed";
import { documentPath, pages } from "../place";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button, IconButton } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { MenuButton } from "../ui/drawer";
import { Markdown } from "../ui/markdown";
import { Notice } from "../ui/notice";
import { words } from "../words/documents";
import { AuthorName } from "./author";
import { type Draft, keepDraft, loadDraft } from "./drafts";
import { Editor } from "./editor";
import { exportFile } from "./files";
import { Late } from "./late";
import { documentKinds } from "./list";
import { Versions } from "./versions";

const say = words.document;

/** A document as the server has it, or that it has none. */
interface Stored {
  history: Summary[];
  latest: TextDocument;
}

async function load(id: string): Promise<Stored | "gone"> {
  try {
    const history = await listHistory(id);
    const latest = await getVersion(history[0]?.id ?? id);
    return { history, latest };
  } catch (e) {
    if (isGone(e)) {
      return "gone";
    }
    throw e;
  }
}

/** One document: written, looked at, and as it was. */
export function DocumentPart({ id }: { id: string }) {
  const ask = useCallback(() => load(id), [id]);
  const { value, error, reload } = useFollowed(ask, documentKinds);
  if (!value) {
    return error ? (
      <Notice text={error} />
    ) : (
      <p role="status" className="p-6 text-faint">
        {say.loading}
      </p>
    );
  }
  if (value === "gone") {
    return <Gone id={id} />;
  }
  const firstId = value.latest.firstId;
  return <Open key={firstId} firstId={firstId} {...value} error={error} reload={reload} />;
}

/** A document that was deleted. What was not saved of it is still here. */
function Gone({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const { busy, error, run } = useAction();
  const [draft, setDraft] = useState(() => loadDraft(id));
  const forget = () => {
    keepDraft(id, undefined);
    setDraft(undefined);
  };
  const saveAsNew = ({ title, content }: Draft) =>
    run(async () => {
      const made = await createDocument({ title: title || words.untitled, content });
      forget();
      navigate(documentPath(made.firstId));
    });
  return (
    <div className="space-y-3 p-6">
      <Back />
      <p>{say.gone}</p>
      {draft && (
        <>
          <p className="text-sm text-soft">{say.unsavedStillHere}</p>
          <pre className="max-h-96 overflow-auto rounded-lg border border-line bg-panel p-3 text-sm whitespace-pre-wrap">
            {draft.content}
          </pre>
          <div className="flex gap-2">
            <Button kind="primary" disabled={busy} onClick={() => saveAsNew(draft)}>
              {say.saveAsNew}
            </Button>
            <ConfirmButton label={say.discard} sure={say.reallyDiscard} onConfirm={forget} />
          </div>
        </>
      )}
      {error && <Notice text={error} />}
    </div>
  );
}

const Back = () => (
  <Link
    href={pages.documents}
    className="inline-flex items-center gap-1 text-sm text-accent hover:underline md:hidden"
  >
    <ArrowLeft size={14} aria-hidden /> {say.all}
  </Link>
);

type View = "write" | "preview" | "versions";

interface Props extends Stored {
  firstId: string;
  error: string;
  reload: () => Promise<void>;
}

function Open({ firstId, history, latest, error, reload }: Props) {
  const [, navigate] = useLocation();
  const [view, setView] = useState<View>("write");
  const [kept, setKept] = useState(() => loadDraft(firstId));
  const current = useRef(kept);
  const action = useAction();

  // A draft that says what is saved already is none.
  const differs = (d: Draft) => d.title !== latest.title || d.content !== latest.content;
  const draft = kept && differs(kept) ? kept : undefined;
  const { title, content } = draft ?? latest;
  const late = draft && draft.baseId !== latest.id && !action.busy;

  const keep = useCallback(
    (change: (now: Draft | undefined) => Draft | undefined) => {
      current.current = change(current.current);
      keepDraft(firstId, current.current); // at once, so that no crash takes it
      setKept(current.current);
    },
    [firstId],
  );
  const settled = Boolean(kept) && !draft && !action.busy;
  useEffect(() => {
    if (settled) {
      keep(() => undefined);
    }
  }, [settled, keep]);
  const edit = (text: { title?: string; content?: string }) =>
    keep((now) => {
      const { title, content } = latest;
      return { ...(now && differs(now) ? now : { baseId: latest.id, title, content }), ...text };
    });

  const save = (after: string) =>
    action.run(async () => {
      if (!draft) {
        return;
      }
      try {
        const made = await saveVersion(after, { title: draft.title, content: draft.content });
        // What was typed meanwhile is made from what was saved.
        keep((now) => now && { ...now, baseId: made.id });
      } catch (e) {
        if (!isLate(e)) {
          throw e;
        }
      }
      await reload();
    });
  const remove = () =>
    action.run(async () => {
      await deleteDocument(latest.id);
      keep(() => undefined);
      navigate(pages.documents);
    });
  const onSave = () => void save(draft?.baseId ?? latest.id);
  useSaveKey(onSave);

  return (
    <article aria-label={latest.title} className="flex h-full min-h-0 flex-col">
      <header className="space-y-2 border-b border-line px-4 pt-3">
        <div className="flex items-center gap-1">
          <MenuButton className="-ml-2" />
          <h1 className="sr-only md:hidden">{title}</h1>
          <Back />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <input
            aria-label={say.title}
            value={title}
            maxLength={500}
            onChange={(e) => edit({ title: e.target.value })}
            className="min-w-40 flex-1 rounded-lg border border-transparent bg-transparent px-2 py-1 text-lg font-semibold hover:border-line"
          />
          <div className="flex gap-2">
            <Button
              kind="primary"
              disabled={!draft || action.busy || late}
              onClick={onSave}
              title={say.ctrlS}
            >
              {action.busy ? say.saving : say.save}
            </Button>
            <IconButton label={say.exportAsMarkdown} onClick={() => exportFile({ title, content })}>
              <Download size={16} />
            </IconButton>
            <ConfirmButton
              label={say.delete}
              sure={say.reallyDelete}
              disabled={action.busy}
              onConfirm={remove}
            />
          </div>
        </div>
        <div className="flex flex-wrap items-end gap-x-4">
          <div role="tablist" aria-label={say.view} className="flex gap-1">
            {(["write", "preview", "versions"] as const).map((v) => (
              <button
                key={v}
                type="button"
                role="tab"
                aria-selected={view === v}
                onClick={() => setView(v)}
                className={`-mb-px border-b-2 px-3 py-1.5 text-sm ${view === v ? "border-accent font-medium" : "border-transparent text-soft hover:text-ink"}`}
              >
                {v === "versions" ? say.versions(history.length) : say[v]}
              </button>
            ))}
          </div>
          <span className="flex-1" />
          <p role="status" className="pb-1.5 text-xs text-faint max-sm:order-first max-sm:w-full">
            {draft ? (
              <span className="font-medium text-wait">{say.unsavedChanges}</span>
            ) : (
              <>
                {say.version(latest.number)} ·{" "}
                <time title={exactTime(latest.updatedAt)}>{exactTime(latest.updatedAt)}</time> ·{" "}
                <AuthorName by={latest.writtenBy} />
              </>
            )}
          </p>
        </div>
      </header>
      {(action.error || error) && (
        <div className="px-4 pt-3">
          <Notice text={action.error || error} onClose={action.clear} />
        </div>
      )}
      {late && (
        <Late
          draft={draft}
          latest={latest}
          busy={action.busy}
          onSave={() => void save(latest.id)}
          onDiscard={() => keep(() => undefined)}
        />
      )}
      {view === "write" && <Editor content={content} onChange={(text) => edit({ content: text })} />}
      {view === "preview" && (
        <div className="min-h-0 flex-1 overflow-y-auto px-6 py-4">
          <div className="mx-auto max-w-3xl">
            {content.trim() ? (
              <Markdown text={content} />
            ) : (
              <p className="text-faint">{say.nothingWritten}</p>
            )}
          </div>
        </div>
      )}
      {view === "versions" && <Versions history={history} onRestored={reload} />}
    </article>
  );
}

/** Ctrl+S, or Cmd+S, saves wherever the focus is. */
function useSaveKey(save: () => void): void {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === "s") {
        e.preventDefault();
        save();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}
