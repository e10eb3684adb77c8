import { CalendarClock, CalendarOff } from "lucide-react";
import type { FoundTask } from "../api/priorities";
import { calendarDay } from "../thread/format";
import { words } from "../words/priorities";

const say = words.taskcard;

/** The days that the text of a task names. Those that matter today are in colour. */
export function Days({ task: { due_date: due, not_before: from } }: { task: FoundTask }) {
  const today = new Date().toISOString().slice(0, 10);
  return (
    <>
      {from && (
        <span className={`inline-flex items-center gap-1 ${from > today ? "text-wait" : ""}`}>
          <CalendarOff size={12} aria-hidden /> {say.notBefore(calendarDay(from))}
        </span>
      )}
      {due && (
        <span className={`inline-flex items-center gap-1 ${due < today ? "text-bad" : ""}`}>
          <CalendarClock size={12} aria-hidden /> {(due < today ? say.overdue : say.due)(calendarDay(due))}
        </span>
      )}
    </>
  );
}
