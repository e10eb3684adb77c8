import { Share2 } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { listShares, revokeShare, shareRun } from "../api/runs";
import { base } from "../base";
import { ownerId } from "../data/owner";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { CopyButton } from "../ui/copy";
import { inputLook } from "../ui/field";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words";

const say = words.share;

/** Opens the links to a run. */
export function ShareButton({ runId }: { runId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Share2 size={14} />} onClick={() => setOpen(true)}>
        {say.share}
      </Button>
      {open && <Shares runId={runId} onClose={() => setOpen(false)} />}
    </>
  );
}

const dayMs = 24 * 60 * 60 * 1000;
const times = [
  { name: say.never, days: 0 },
  { name: say.day, days: 1 },
  { name: say.week, days: 7 },
  { name: say.month, days: 30 },
];

function Shares({ runId, onClose }: { runId: string; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const load = useCallback(() => listShares(runId), [runId]);
  const { value: shares, error: unread, reload } = useLoaded(load);
  const [days, setDays] = useState(0);
  const [link, setLink] = useState("");
  const { busy, error, run } = useAction();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const make = () =>
    run(async () => {
      const { token } = await shareRun(runId, days ? Date.now() + days * dayMs : undefined);
      setLink(`${location.origin}${base}/shared/${token}`);
      await reload();
    });
  return (
    <dialog
      ref={box}
      aria-label={say.title}
      onClose={onClose}
      className="m-auto w-full max-w-lg rounded-xl border border-line bg-page p-5 text-ink backdrop:bg-black/40"
    >
      <div className="space-y-4 text-sm">
        <h2 className="text-base font-semibold">{say.title}</h2>
        <p className="text-soft">{say.about}</p>
        {(error || unread) && <Notice text={error || unread} />}
        <div className="flex flex-wrap items-end gap-2">
          <label className="text-xs text-faint">
            {say.expires}
            <select
              value={days}
              onChange={(e) => setDays(Number(e.target.value))}
              className={`${inputLook} mt-1 block !w-auto`}
            >
              {times.map((t) => (
                <option key={t.days} value={t.days}>
                  {t.name}
                </option>
              ))}
            </select>
          </label>
          <Button kind="primary" disabled={busy} onClick={make}>
            {say.make}
          </Button>
        </div>
        {link && (
          <div className="space-y-1 rounded-lg bg-good-wash p-3">
            <p className="text-good">{say.made}</p>
            <div className="flex items-center gap-1">
              <input
                readOnly
                aria-label={say.link}
                value={link}
                onFocus={(e) => e.target.select()}
                className={inputLook}
              />
              <CopyButton text={link} label={say.copy} />
            </div>
          </div>
        )}
        {shares?.length === 0 && <p className="text-faint">{say.none}</p>}
        {shares && shares.length > 0 && (
          <ul aria-label={say.existing} className="space-y-1">
            {shares.map((s) => (
              <li
                key={s.id}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line px-3 py-1.5"
              >
                <span className="min-w-0 flex-1">
                  {say.since(exactTime(s.createdAt))} {s.expiresAt ? say.until(exactTime(s.expiresAt)) : ""}{" "}
                  {s.by !== ownerId() && say.by(s.by)}
                </span>
                <ConfirmButton
                  label={say.revoke}
                  sure={say.revokeSure}
                  disabled={busy}
                  onConfirm={() => void run(() => revokeShare(runId, s.id)).then(reload)}
                />
              </li>
            ))}
          </ul>
        )}
        <div className="text-right">
          <Button onClick={onClose}>{say.close}</Button>
        </div>
      </div>
    </dialog>
  );
}
