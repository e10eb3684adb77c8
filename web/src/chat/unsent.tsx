import { Clock } from "lucide-react";
import { useOnline, useStops } from "../data/hooks";
import type { Busy, Unsent } from "../data/outbox";
import { outbox } from "../data/store";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { useNow } from "../ui/now";
import { words } from "../words";
import { Said } from "./said";

const say = words.chat;

interface Props {
  unsent: Unsent;
  onEdit: (unsent: Unsent) => void;
}

/** What the person said and the server does not have yet. */
export function UnsentRow({ unsent, onEdit }: Props) {
  const online = useOnline();
  const stopping = useStops().some((s) => s.runId === unsent.id) || unsent.stop;
  return (
    <article aria-label={say.notSentYet} className="flex flex-col items-end">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-wash px-4 py-2 opacity-75">
        <Said id={unsent.id} content={unsent.content} parts={unsent.parts} />
      </div>
      {unsent.error ? (
        <div className="mt-2 space-y-2">
          <Notice text={say.notSent(unsent.error)} />
          <Choices unsent={unsent} onEdit={onEdit} />
        </div>
      ) : unsent.busy ? (
        <div className="mt-2 space-y-2">
          <Waiting busy={unsent.busy} />
          <Choices unsent={unsent} onEdit={onEdit} />
        </div>
      ) : (
        <span className="mt-1 mr-1 flex items-center gap-1 text-xs text-faint">
          <Clock size={12} aria-hidden />{" "}
          {stopping ? say.stopping : online === false ? say.sentLater : say.sending}
        </span>
      )}
    </article>
  );
}

/** What a person can do about a message that waits or was refused. */
function Choices({ unsent, onEdit }: Props) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={() => outbox.retry(unsent.id)}>{unsent.busy ? say.sendNow : say.tryAgain}</Button>
      <Button onClick={() => onEdit(unsent)}>{say.editUnsent}</Button>
      <Button kind="quiet" onClick={() => outbox.discard(unsent.id)}>
        {say.discard}
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
      <span role="status">{say.busy(busy.why)}</span>
      <span>{seconds > 0 ? say.sentAgainIn(seconds) : say.sending}</span>
    </p>
  );
}
