import { useId, useState } from "react";
import { decideCall } from "../api/calls";
import type { NewDecision, ToolCall } from "../api/types";
import { pretty } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words";

const say = words.decisions;

interface Props {
  call: ToolCall;
  chatId: string;
  agentId: string;
  /** Inside something that has a frame, and says that a call needs approval. */
  plain?: boolean;
}

/** What to do about a call that waits for a person. */
export function Decide({ call, chatId, agentId, plain }: Props) {
  const original = pretty(call.args ?? {});
  const [args, setArgs] = useState(original);
  const [editing, setEditing] = useState(false);
  const [reason, setReason] = useState("");
  const { busy, error, run } = useAction();
  const id = useId();
  const decide = (action: NewDecision["action"]) =>
    run(async () => {
      const changed = action === "approve" && args !== original;
      await decideCall(chatId, agentId, call.id, {
        action,
        ...(changed && { args: parsed(args) }),
        ...(reason && { reason }),
      });
    });
  const approval = call.status === "awaiting_approval";
  return (
    <div className={`space-y-2 ${plain ? "" : "mt-2 rounded-lg border border-wait/50 bg-wait-wash p-3"}`}>
      {!(plain && approval) && <p className="text-sm">{approval ? say.needsApproval : say.unknownEffect}</p>}
      {editing && (
        <textarea
          aria-label={say.argumentsAsJson}
          value={args}
          onChange={(e) => setArgs(e.target.value)}
          rows={Math.min(12, args.split("\n").length + 1)}
          className={`${inputLook} font-mono text-[13px]`}
        />
      )}
      <div>
        <label htmlFor={id} className="mb-1 block text-xs text-soft">
          {approval ? say.denyReason : say.doneResult}
        </label>
        <input id={id} value={reason} onChange={(e) => setReason(e.target.value)} className={inputLook} />
      </div>
      <div className="flex flex-wrap gap-2">
        {approval ? (
          <>
            <Button kind="primary" disabled={busy} onClick={() => decide("approve")}>
              {args !== original ? say.approveEdited : say.approve}
            </Button>
            {!editing && <Button onClick={() => setEditing(true)}>{say.edit}</Button>}
            <Button kind="danger" disabled={busy} onClick={() => decide("deny")}>
              {say.deny}
            </Button>
          </>
        ) : (
          <>
            <Button kind="primary" disabled={busy} onClick={() => decide("retry")}>
              {say.runAgain}
            </Button>
            <Button disabled={busy} onClick={() => decide("done")}>
              {say.isDone}
            </Button>
            <Button disabled={busy} onClick={() => decide("skip")}>
              {say.skip}
            </Button>
          </>
        )}
      </div>
      {error && <Notice text={error} />}
    </div>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (e) {
    throw new Error(say.notJson(e instanceof Error ? e.message : String(e)));
  }
}
