import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { words } from "../words";
import { IconButton } from "./button";

const say = words.render.copy;

export function CopyButton({ text, label = say.copy }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <IconButton label={done ? say.copied : label} onClick={copy} className="size-7">
      {done ? <Check size={14} className="text-good" /> : <Copy size={14} />}
    </IconButton>
  );
}
