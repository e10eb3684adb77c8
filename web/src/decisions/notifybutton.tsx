import { Bell, BellRing, X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { canNotify, isNotifying, setNotify } from "./notify";

const say = words.decisions.notify;

/** Switches notifications on and off. The browser is asked for leave when somebody wants them, and not before. */
export function NotifyButton() {
  const [on, setOn] = useState(isNotifying);
  const [denied, setDenied] = useState(false);
  if (!canNotify()) {
    return null;
  }
  const change = async () => {
    setDenied(!(await setNotify(!on)));
    setOn(isNotifying());
  };
  return (
    <>
      <IconButton label={on ? say.on : say.off} aria-pressed={on} onClick={change}>
        {on ? <BellRing size={16} className="text-accent" /> : <Bell size={16} />}
      </IconButton>
      {denied && (
        <div
          role="alert"
          className="absolute inset-x-2 top-14 z-10 flex items-start gap-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad shadow-md"
        >
          <span className="min-w-0 flex-1">{say.denied}</span>
          <IconButton label={say.close} onClick={() => setDenied(false)} className="-my-1 size-7">
            <X size={14} />
          </IconButton>
        </div>
      )}
    </>
  );
}
