import { type FormEvent, useState } from "react";
import { steerTask } from "../api/calls";
import type { Task } from "../api/types";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words/inspector";

const say = words;

/** Says something to an agent while it works. */
export function Steer({ task }: { task: Task }) {
  const [text, setText] = useState("");
  const { busy, error, run, clear } = useAction();
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    if (text.trim() && (await run(() => steerTask(task, text.trim())))) {
      setText("");
    }
  };
  return (
    <form onSubmit={submit} className="space-y-2 border-t border-line p-3">
      <div className="flex gap-2">
        <input
          aria-label={say.steerLabel}
          placeholder={say.steerPlaceholder}
          value={text}
          onChange={(e) => setText(e.target.value)}
          className={inputLook}
        />
        <Button type="submit" disabled={busy || !text.trim()}>
          {say.steer}
        </Button>
      </div>
      {error && <Notice text={error} onClose={clear} />}
    </form>
  );
}
