import { useCallback, useState } from "react";
import { diffVersions, getVersion, restoreVersion, type Summary } from "../api/documents";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { useLoaded } from "../ui/loaded";
import { Markdown } from "../ui/markdown";
import { Notice } from "../ui/notice";
import { Select } from "../ui/select";
import { words } from "../words/documents";
import { phrase } from "../words/phrase";
import { AuthorName } from "./author";
import { Difference } from "./difference";

const say = words.versions;

interface Props {
  /** Last to first. */
  history: readonly Summary[];
  onRestored: () => Promise<void>;
}

type Shown = "changes" | "text";

/** The versions, who wrote each, and how any two differ. */
export function Versions({ history, onRestored }: Props) {
  const [chosen, setChosen] = useState("");
  const [other, setOther] = useState("");
  const [shown, setShown] = useState<Shown>("changes");
  const { busy, error, run, clear } = useAction();
  const to = history.find((v) => v.id === chosen) ?? history[0];
  if (!to) {
    return null;
  }
  const before = history[history.indexOf(to) + 1];
  const from = history.find((v) => v.id === other && v !== to) ?? before;
  const restore = async (v: Summary) => {
    if (await run(() => restoreVersion(v.id))) {
      setChosen("");
      setOther("");
      await onRestored();
    }
  };
  return (
    <div className="flex min-h-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
      <ol
        aria-label={say.versions}
        className="shrink-0 space-y-1 overflow-y-auto border-line p-3 max-lg:max-h-64 max-lg:border-b lg:w-72 lg:border-r"
      >
        {history.map((v) => (
          <li
            key={v.id}
            aria-label={say.version(v.number)}
            className={`flex items-start gap-2 rounded-lg px-2 py-1.5 ${v === to ? "bg-accent-wash" : "hover:bg-hover"}`}
          >
            <div className="min-w-0 flex-1">
              <button
                type="button"
                aria-pressed={v === to}
                onClick={() => {
                  setChosen(v.id);
                  setOther("");
                }}
                className="text-sm font-medium"
              >
                {say.version(v.number)}
                {v === history[0] && <span className="font-normal text-faint"> {say.newest}</span>}
              </button>
              <p className="text-xs text-soft">
                <AuthorName by={v.writtenBy} />
              </p>
              <p className="text-xs text-faint">{exactTime(v.updatedAt)}</p>
            </div>
            {v !== history[0] && (
              <Button
                disabled={busy}
                onClick={() => void restore(v)}
                aria-label={say.restoreVersion(v.number)}
              >
                {say.restore}
              </Button>
            )}
          </li>
        ))}
      </ol>
      <div className="min-w-0 flex-1 space-y-3 p-4 lg:overflow-y-auto">
        {error && <Notice text={error} onClose={clear} />}
        <div className="flex flex-wrap items-end gap-3">
          <Choices
            legend={say.show}
            quiet
            options={[
              { value: "changes", label: say.changes },
              { value: "text", label: say.text },
            ]}
            value={shown}
            onChange={setShown}
          />
          {shown === "changes" && from && (
            <Select inline label={say.from} value={from.id} onChange={setOther}>
              {history
                .filter((v) => v !== to)
                .map((v) => (
                  <option key={v.id} value={v.id}>
                    {say.version(v.number)}
                  </option>
                ))}
            </Select>
          )}
          <span className="py-1 text-sm text-soft">
            {shown === "changes" && from ? say.toVersion(to.number) : say.version(to.number)}
          </span>
        </div>
        {shown === "text" && <VersionText key={to.id} id={to.id} />}
        {shown === "changes" &&
          (from ? <Changes from={from} to={to} /> : <p className="text-sm text-faint">{say.onlyOne}</p>)}
      </div>
    </div>
  );
}

function Changes({ from, to }: { from: Summary; to: Summary }) {
  const load = useCallback(() => diffVersions(from.id, to.id), [from.id, to.id]);
  const { value, error } = useLoaded(load);
  return (
    <>
      {from.title !== to.title && (
        <p className="text-sm">
          {phrase(say.titleChanged, {
            from: <del className="text-bad">{from.title}</del>,
            to: <ins className="text-good no-underline">{to.title}</ins>,
          })}
        </p>
      )}
      <Difference
        key={`${from.id} ${to.id}`}
        label={say.fromTo(from.number, to.number)}
        unified={value}
        error={error}
      />
    </>
  );
}

function VersionText({ id }: { id: string }) {
  const load = useCallback(() => getVersion(id), [id]);
  const { value, error } = useLoaded(load);
  if (error) {
    return <Notice text={error} />;
  }
  return value ? <Markdown text={value.content} /> : <p className="text-sm text-faint">{say.loading}</p>;
}
