import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from "lucide-react";
import { useId } from "react";
import { IconButton } from "../ui/button";
import { words } from "../words/graphs";
import type { Step } from "./replay";

const say = words.replaybar;

interface Props {
  steps: readonly Step[];
  /** How many are shown; undefined is all. */
  shown: number | undefined;
  onShow: (count: number | undefined) => void;
}

/** Goes through a run step by step. */
export function ReplayBar({ steps, shown, onShow }: Props) {
  const id = useId();
  const at = shown ?? steps.length;
  const step = steps[at - 1];
  const go = (to: number) => onShow(to >= steps.length ? undefined : Math.max(0, to));
  return (
    <div>
      <label htmlFor={id} className="block text-xs font-medium text-soft">
        {say.step(at, steps.length)}
        {step && say.happened(step.turn.nodeId, step.kind === "began" ? say.began : step.turn.status)}
      </label>
      <div className="flex items-center">
        <IconButton label={say.firstStep} disabled={at === 0} onClick={() => go(0)} className="size-7">
          <ChevronFirst size={15} />
        </IconButton>
        <IconButton label={say.stepBack} disabled={at === 0} onClick={() => go(at - 1)} className="size-7">
          <ChevronLeft size={15} />
        </IconButton>
        <input
          id={id}
          type="range"
          min={0}
          max={steps.length}
          value={at}
          onChange={(e) => go(Number(e.target.value))}
          className="min-w-0 flex-1 accent-accent"
        />
        <IconButton
          label={say.stepOn}
          disabled={at === steps.length}
          onClick={() => go(at + 1)}
          className="size-7"
        >
          <ChevronRight size={15} />
        </IconButton>
        <IconButton
          label={say.lastStep}
          disabled={at === steps.length}
          onClick={() => go(steps.length)}
          className="size-7"
        >
          <ChevronLast size={15} />
        </IconButton>
      </div>
    </div>
  );
}
