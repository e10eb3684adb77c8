import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./button";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <IconButton label={done ? "Copied" : label} onClick={copy} className="size-7">
      {done ? <Check size={14} className="text-good" /> : <Copy size={14} />}
    </IconButton>
  );
}
