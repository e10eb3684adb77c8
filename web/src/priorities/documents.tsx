import { FileText, LoaderCircle } from "lucide-react";
import { deleteDocument, processAgain, type SourceDocument } from "../api/priorities";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { Fold } from "../ui/fold";
import { Notice } from "../ui/notice";
import { words } from "../words/priorities";
import { Days } from "./days";
import { DropZone } from "./drop";
import { Section } from "./section";
import { hours, type Tasks } from "./words";

const say = words.documents;

interface Props {
  documents: readonly SourceDocument[];
  tasks: Tasks;
  onChanged: () => Promise<void>;
}

/** Where tasks come from. */
export function Documents({ documents, tasks, onChanged }: Props) {
  return (
    <Section title={say.documents} icon={<FileText size={16} aria-hidden />}>
      <DropZone onAdded={onChanged} />
      {documents.length > 0 && (
        <ul aria-label={say.documents} className="mt-3 max-h-72 space-y-2 overflow-y-auto">
          {documents.map((d) => (
            <Row key={d.id} document={d} tasks={tasks} onChanged={onChanged} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface RowProps {
  document: SourceDocument;
  tasks: Tasks;
  onChanged: () => Promise<void>;
}

function Row({ document: d, tasks, onChanged }: RowProps) {
  const { busy, error, run } = useAction();
  const act = async (work: () => Promise<unknown>) => {
    if (await run(work)) {
      await onChanged();
    }
  };
  const failed = d.status === "failed";
  return (
    <li
      aria-label={d.title}
      className={`rounded-lg border p-2.5 ${failed ? "border-bad bg-bad-wash" : "border-line"}`}
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium" title={d.title}>
            {d.title}
          </p>
          <Progress document={d} />
        </div>
        {failed && (
          <Button disabled={busy} onClick={() => act(() => processAgain(d.id))}>
            {say.tryAgain}
          </Button>
        )}
        <ConfirmButton
          label={say.delete}
          sure={say.reallyDelete}
          disabled={busy}
          onConfirm={() => act(() => deleteDocument(d.id))}
        />
      </div>
      {d.error && <p className="mt-1 text-sm break-words text-bad">{d.error}</p>}
      {d.notice && <p className="mt-1 text-sm break-words text-wait">{d.notice}</p>}
      {error && <Notice text={error} />}
      {d.task_count > 0 && (
        <Fold summary={say.tasksOf(d.title)} className="mt-1">
          <ul className="space-y-1 text-sm">
            {[...tasks.values()]
              .filter((t) => t.document_id === d.id)
              .map((t) => (
                <li key={t.id} className="flex gap-3">
                  <span className={`min-w-0 flex-1 break-words ${t.done ? "text-faint line-through" : ""}`}>
                    {t.text}
                  </span>
                  <span className="flex shrink-0 flex-wrap justify-end gap-x-3 text-faint">
                    <Days task={t} />
                    {hours(t.effort_hours)}
                  </span>
                </li>
              ))}
          </ul>
        </Fold>
      )}
    </li>
  );
}

function Progress({ document: { status, task_count: n, source_type: type } }: { document: SourceDocument }) {
  const kinds: Record<string, string> = say.kinds;
  if (status === "queued" || status === "processing") {
    return (
      <p role="status" className="flex items-center gap-1.5 text-xs text-run">
        <LoaderCircle size={12} className="animate-spin" aria-hidden />
        {status === "queued" ? say.waiting : say.looking}
      </p>
    );
  }
  return (
    <p className={`text-xs ${status === "failed" ? "text-bad" : "text-faint"}`}>
      {kinds[type] ?? type} · {status === "failed" ? say.failed : say.tasks(n)}
    </p>
  );
}
