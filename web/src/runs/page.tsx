import { ArrowLeft, GitFork, RotateCcw } from "lucide-react";
import { useCallback } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { forkChat } from "../api/calls";
import { request } from "../api/http";
import { cancelRun, listChatRuns } from "../api/runs";
import { live } from "../data/store";
import { agentPath, chatPath, runPath } from "../place";
import { clock, headline } from "../thread/format";
import { useAction } from "../ui/action";
import { Button, buttonLook } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { MenuButton } from "../ui/drawer";
import { inputLook } from "../ui/field";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { Comparison } from "./comparison";
import { ShareButton } from "./share";
import type { Node } from "./tree";
import { useRun } from "./userun";
import { RunView } from "./view";

const say = words.runs;

/** The page of one run. */
export default function RunPage({ runId }: { runId: string }) {
  const { tree, root, error, going, reload } = useRun({ run: runId });
  const [search, setSearch] = useSearchParams();
  const other = search.get("with") ?? "";
  const action = useAction();
  if (!tree || !root) {
    return (
      <main id="main" className="p-6">
        {error ? <Notice text={error} /> : <p className="text-faint">{tree ? say.nothing : say.loading}</p>}
      </main>
    );
  }
  const { run } = tree;
  const compareWith = (id: string) => setSearch(id ? { with: id } : {}, { replace: true });
  const before = (
    <>
      <MenuButton className="-ml-2" />
      {run.chatId && (
        <Link
          href={chatPath(run.chatId)}
          aria-label={say.back}
          title={say.back}
          className={`${buttonLook("quiet")} -ml-2 px-2`}
        >
          <ArrowLeft size={16} />
        </Link>
      )}
    </>
  );
  const actions = (
    <>
      {going && (
        <ConfirmButton
          label={say.cancel}
          sure={say.cancelSure}
          disabled={action.busy}
          onConfirm={() => void action.run(() => cancelRun(runId)).then(reload)}
        />
      )}
      {run.chatId && <CompareChoice chatId={run.chatId} runId={runId} value={other} onChange={compareWith} />}
      <ShareButton runId={runId} />
    </>
  );
  return (
    <main id="main" className="flex min-h-0 flex-1 flex-col">
      {(error || action.error) && <Notice text={error || action.error} />}
      {run.joinedTo && (
        <p className="bg-hover px-4 py-1.5 text-sm">
          {say.joined}{" "}
          <Link href={runPath(run.joinedTo, run.chatId)} className="underline">
            {say.seeJoined}
          </Link>
        </p>
      )}
      {other ? (
        <Comparison root={root} otherId={other} before={before} actions={actions} />
      ) : (
        <RunView
          source={{ run: runId }}
          root={root}
          title={headline(root.row.label ?? "") || say.kinds[root.row.kind]}
          going={going}
          before={before}
          actions={actions}
          stepActions={(node) => (
            <StepActions node={node} chatId={run.chatId ?? ""} root={root} onDone={reload} />
          )}
        />
      )}
    </main>
  );
}

function CompareChoice(props: {
  chatId: string;
  runId: string;
  value: string;
  onChange: (id: string) => void;
}) {
  const { chatId, runId, value, onChange } = props;
  const load = useCallback(() => listChatRuns(chatId), [chatId]);
  const { value: runs } = useLoaded(load);
  const others = runs?.filter((r) => r.id !== runId) ?? [];
  if (others.length === 0) {
    return null;
  }
  return (
    <select
      aria-label={say.compareWith}
      value={value}
      onChange={(e) => onChange(e.target.value)}
      className={`${inputLook} max-w-56 !w-auto`}
    >
      <option value="">{say.compare}…</option>
      {others.map((r) => (
        <option key={r.id} value={r.id}>
          {clock(r.beganAt)} ·{" "}
          {headline(live.documents.get("messages", r.id)?.content ?? "").slice(0, 40) || say.plain}
        </option>
      ))}
    </select>
  );
}

/** The message of the chat that a step comes after, and that a fork can go on from. */
function forkPoint(node: Node, root: Node): string {
  for (let at: Node | undefined = node; at; at = at.parent) {
    const message = /^orch-chats\/[^/]+\/messages\/([^/#]+)$/.exec(at.row.id);
    if (message?.[1]) {
      return message[1];
    }
  }
  return root.row.kind === "message" ? (root.row.id.split("/").at(-1) ?? "") : "";
}

function StepActions(props: { node: Node; chatId: string; root: Node; onDone: () => void }) {
  const { node, chatId, root, onDone } = props;
  const { row } = node;
  const [, navigate] = useLocation();
  const { busy, error, run } = useAction();
  if (!chatId) {
    return null;
  }
  const at = forkPoint(node, root);
  const agent = /\/sub-agents\/([^/]+)/.exec(row.id)?.[1];
  const fork = () =>
    run(async () => {
      const chat = await forkChat(chatId, at);
      live.documents.put("chats", [chat]);
      navigate(chatPath(chat.id));
    });
  const retry = () => run(() => request("POST", `/chats/${chatId}/tasks/${row.taskId}/retry`)).then(onDone);
  return (
    <div className="space-y-1">
      <div className="flex flex-wrap gap-2">
        {agent && (
          <Link href={agentPath(chatId, agent)} className={buttonLook("plain")}>
            {say.inspect}
          </Link>
        )}
        {at && (
          <Button icon={<GitFork size={14} />} disabled={busy} onClick={fork} title={say.forkHint}>
            {say.forkHere}
          </Button>
        )}
        {row.kind === "agent" && (row.status === "failed" || row.status === "could_not") && row.taskId && (
          <Button icon={<RotateCcw size={14} />} disabled={busy} onClick={retry} title={say.retryHint}>
            {say.retry}
          </Button>
        )}
      </div>
      {at && <p className="text-xs text-faint">{say.forkHint}</p>}
      {error && <Notice text={error} />}
    </div>
  );
}
