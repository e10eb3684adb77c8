import { Clock } from "lucide-react";
import { dayAndTime } from "../thread/format";
import { words } from "../words";
import { type ToolView, textOf } from "./view";

const say = words.render.tools;

/** 2026-03-05T14:02:11+01:00 (Thursday, week 10, Europe/Berlin, UTC+01:00) */
const answer =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})) \(\w+, week (\d+), (\S+), (UTC\S+)\)$/;

export const clock: ToolView = {
  brief: (args) => textOf(args, "timeZone") ?? "UTC",
  output: (text) => {
    const [, iso = "", week = "", zone = "", offset = ""] = answer.exec(text) ?? [];
    return iso ? (
      <p className="flex flex-wrap items-center gap-x-2 rounded-lg border border-line bg-panel px-3 py-2">
        <Clock size={16} className="text-soft" aria-hidden />
        <time dateTime={iso} className="font-semibold">
          {dayAndTime(Date.parse(iso), zone)}
        </time>
        <span className="text-sm text-soft">{say.zone(zone, offset, week)}</span>
      </p>
    ) : undefined;
  },
};
