import type { Task } from "../api/types";
import { cost, duration, tokens } from "../thread/format";
import { useNow } from "../ui/now";
import { words } from "../words";

interface Props {
  tasks: readonly Task[];
  /** By them and all that work for them. */
  used: { tokens: number; micros: number };
  /** Where there is little room, only how long. */
  brief?: boolean;
}

/** How long tasks took from the first to the last, and what they cost; without a price, how many tokens. */
export function Figures({ tasks, used, brief }: Props) {
  const working = tasks.some((t) => t.status === "running" || t.status === "pending");
  const now = useNow(working);
  const began = Math.min(...tasks.map((t) => t.startedAt ?? t.createdAt));
  const ended = working ? now : Math.max(...tasks.map((t) => t.endedAt ?? t.updatedAt));
  const price = used.micros ? cost(used.micros) : used.tokens ? words.chat.tokens(tokens(used.tokens)) : "";
  return (
    <span className="shrink-0 text-xs text-faint tabular-nums">
      {duration(Math.max(0, ended - began))}
      {price && <span className={brief ? "max-sm:hidden" : ""}> · {price}</span>}
    </span>
  );
}
