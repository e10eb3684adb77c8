import { FilePlus, Upload } from "lucide-react";
import { useCallback, useDeferredValue, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { createDocument, type Summary, searchDocuments } from "../api/documents";
import { useFollowed } from "../data/followed";
import { documentPath } from "../place";
import { day } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words/documents";
import { nameOf } from "./author";
import { useDrafted } from "./drafts";
import { acceptedFiles, importFile } from "./files";

const say = words.list;

export const documentKinds = ["text_documents"];
const page = 100;

/** The documents, newest first, and the ways to get more. */
export function DocumentList({ current }: { current?: string }) {
  const [words, setWords] = useState("");
  const [limit, setLimit] = useState(page);
  const searched = useDeferredValue(words.trim());
  const load = useCallback(() => searchDocuments(searched, limit), [searched, limit]);
  const { value: found, error } = useFollowed(load, documentKinds);
  const unsaved = useDrafted();
  return (
    <section aria-label={say.all} className="flex h-full min-h-0 flex-col">
      <Makers />
      <div className="px-3 pb-2">
        <input
          type="search"
          aria-label={say.searchDocuments}
          placeholder={say.search}
          value={words}
          onChange={(e) => {
            setWords(e.target.value);
            setLimit(page);
          }}
          className={inputLook}
        />
      </div>
      {error && <Notice text={error} />}
      <ul aria-label={say.documents} className="min-h-0 flex-1 space-y-0.5 overflow-y-auto px-2 pb-3">
        {found?.items.map((d) => (
          <Row
            key={d.firstId}
            document={d}
            current={d.firstId === current || d.id === current}
            unsaved={unsaved.includes(d.firstId)}
          />
        ))}
        {found && found.items.length === 0 && (
          <li className="px-2 py-2 text-sm text-faint">{searched ? say.nothingFound : say.none}</li>
        )}
        {found?.next && (
          <li className="p-2 text-center">
            <Button onClick={() => setLimit(Math.min(limit + page, 1000))}>{say.showMore}</Button>
          </li>
        )}
      </ul>
    </section>
  );
}

interface RowProps {
  document: Summary;
  current: boolean;
  unsaved: boolean;
}

function Row({ document: d, current, unsaved }: RowProps) {
  return (
    <li>
      <Link
        href={documentPath(d.firstId)}
        aria-current={current ? "page" : undefined}
        className={`block rounded-lg px-3 py-2 hover:bg-hover ${current ? "bg-hover" : ""}`}
      >
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-sm font-medium">{d.title}</span>
          {unsaved && (
            <span className="size-2 shrink-0 rounded-full bg-wait">
              <span className="sr-only">{say.unsaved}</span>
            </span>
          )}
        </span>
        <span className="block truncate text-xs text-soft">{d.excerpt || say.empty}</span>
        <span className="block truncate text-xs text-faint">
          {day(d.updatedAt)} · {nameOf(d.writtenBy)}
          {d.number > 1 && ` · version ${d.number}`}
        </span>
      </Link>
    </li>
  );
}

function Makers() {
  const [, navigate] = useLocation();
  const { busy, error, run, clear } = useAction();
  const files = useRef<HTMLInputElement>(null);
  const create = () =>
    run(async () => {
      const made = await createDocument({ title: words.untitled, content: "" });
      navigate(documentPath(made.firstId));
    });
  const take = (chosen: FileList | null) =>
    run(async () => {
      let last = "";
      for (const file of chosen ?? []) {
        last = (await importFile(file)).firstId;
      }
      if (last) {
        navigate(documentPath(last));
      }
    });
  return (
    <div className="space-y-2 p-3">
      <div className="flex gap-2">
        <Button
          kind="primary"
          icon={<FilePlus size={15} aria-hidden />}
          disabled={busy}
          onClick={create}
          className="flex-1"
        >
          {say.new}
        </Button>
        <Button
          icon={<Upload size={15} aria-hidden />}
          disabled={busy}
          onClick={() => {
            files.current?.click();
          }}
          className="flex-1"
        >
          {say.import}
        </Button>
        <input
          ref={files}
          type="file"
          multiple
          accept={acceptedFiles}
          aria-label={say.filesToImport}
          className="hidden"
          onChange={(e) => {
            void take(e.target.files).finally(() => {
              if (files.current) {
                files.current.value = "";
              }
            });
          }}
        />
      </div>
      {error && <Notice text={error} onClose={clear} />}
    </div>
  );
}
