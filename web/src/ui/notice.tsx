import { CircleAlert, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { words } from "../words";
import { IconButton } from "./button";

/** An error, where it happened. */
export function Notice({ text, onClose }: { text: string; onClose?: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div
      ref={box}
      role="alert"
      className="flex items-start gap-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad"
    >
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0 flex-1 break-words">{text}</span>
      {onClose && (
        <IconButton label={words.shell.dismiss} onClick={onClose} className="-my-1 size-7">
          <X size={14} />
        </IconButton>
      )}
    </div>
  );
}
