import { Clock } from "lucide-react";
import { useOnline } from "../data/hooks";
import type { Busy, Unsent } from "../data/outbox";
import { outbox } from "../data/store";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { useNow } from "../ui/now";
import { Said } from "./said";

interface Props {
  unsent: Unsent;
  onEdit: (unsent: Unsent) => void;
}

/** What the person said and the server does not have yet. */
export function UnsentRow({ unsent, onEdit }: Props) {
  const online = useOnline();
  return (
    <article aria-label="You, not sent yet" className="flex flex-col items-end">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-wash px-4 py-2 opacity-75">
        <Said content={unsent.content} parts={unsent.parts} />
      </div>
      {unsent.error ? (
        <div className="mt-2 space-y-2">
          <Notice text={`Not sent: ${unsent.error}`} />
          <Choices unsent={unsent} onEdit={onEdit} />
        </div>
      ) : unsent.busy ? (
        <div className="mt-2 space-y-2">
          <Waiting busy={unsent.busy} />
          <Choices unsent={unsent} onEdit={onEdit} />
        </div>
      ) : (
        <span className="mt-1 mr-1 flex items-center gap-1 text-xs text-faint">
          <Clock size={12} aria-hidden /> {online === false ? "Sent when the server is back" : "Sending…"}
        </span>
      )}
    </article>
  );
}

/** What a person can do about a message that waits or was refused. */
function Choices({ unsent, onEdit }: Props) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={() => outbox.retry(unsent.id)}>{unsent.busy ? "Send now" : "Try again"}</Button>
      <Button onClick={() => onEdit(unsent)}>Edit</Button>
      <Button kind="quiet" onClick={() => outbox.discard(unsent.id)}>
        Discard
      </Button>
    </div>
  );
}

/** Why a message is not sent yet, and when it will be. */
function Waiting({ busy }: { busy: Busy }) {
  const seconds = Math.ceil((busy.again - useNow(true)) / 1000);
  return (
    <p className="flex items-center justify-end gap-1 text-xs text-faint">
      <Clock size={12} aria-hidden />
      <span role="status">The server has too much to do: {busy.why}.</span>
      <span>{seconds > 0 ? `Sent again in ${seconds} s.` : "Sending…"}</span>
    </p>
  );
}
