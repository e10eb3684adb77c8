import { Bot, Code, PenLine, Search } from "lucide-react";

/** A picture for a role, by what its name says. */
export function RoleIcon({ role, size = 16 }: { role: string; size?: number }) {
  const Icon = /research|search/i.test(role)
    ? Search
    : /cod|develop|engineer/i.test(role)
      ? Code
      : /writ|edit/i.test(role)
        ? PenLine
        : Bot;
  return <Icon size={size} aria-hidden className="shrink-0" />;
}
