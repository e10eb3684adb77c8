import { useId, useState } from "react";
import { decideCall } from "../api/calls";
import type { NewDecision, ToolCall } from "../api/types";
import { pretty } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";

interface Props {
  call: ToolCall;
  chatId: string;
  agentId: string;
}

/** What to do about a call that waits for a person. */
export function Decide({ call, chatId, agentId }: Props) {
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
        ...(changed && { args: JSON.parse(args) as unknown }),
        ...(reason && { reason }),
      });
    });
  const approval = call.status === "awaiting_approval";
  return (
    <div className="mt-2 space-y-2 rounded-lg border border-wait/50 bg-wait-wash p-3">
      <p className="text-sm">
        {approval
          ? "This call needs your approval before it runs."
          : "The server stopped during this call, so it is not known whether the call took effect."}
      </p>
      {editing && (
        <textarea
          aria-label="Arguments of the call, as JSON"
          value={args}
          onChange={(e) => setArgs(e.target.value)}
          rows={Math.min(12, args.split("\n").length + 1)}
          className={`${inputLook} font-mono text-[13px]`}
        />
      )}
      <div>
        <label htmlFor={id} className="mb-1 block text-xs text-soft">
          {approval ? "Reason, if you deny it" : "Result, if you mark it as done"}
        </label>
        <input id={id} value={reason} onChange={(e) => setReason(e.target.value)} className={inputLook} />
      </div>
      <div className="flex flex-wrap gap-2">
        {approval ? (
          <>
            <Button kind="primary" disabled={busy} onClick={() => decide("approve")}>
              {args !== original ? "Approve as edited" : "Approve"}
            </Button>
            {!editing && <Button onClick={() => setEditing(true)}>Edit</Button>}
            <Button kind="danger" disabled={busy} onClick={() => decide("deny")}>
              Deny
            </Button>
          </>
        ) : (
          <>
            <Button kind="primary" disabled={busy} onClick={() => decide("retry")}>
              Run it again
            </Button>
            <Button disabled={busy} onClick={() => decide("done")}>
              It is done
            </Button>
            <Button disabled={busy} onClick={() => decide("skip")}>
              Skip it
            </Button>
          </>
        )}
      </div>
      {error && <Notice text={error} />}
    </div>
  );
}
