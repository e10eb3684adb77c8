import { roleOf } from "../thread/format";
import { Markdown } from "../ui/markdown";
import { RoleIcon } from "../ui/role";
import { type Args, type ToolView, textOf } from "./view";

/** What one agent says to another, or to a person: it is text for readers. */
function words(args: Args, field: string, title?: string) {
  const text = textOf(args, field);
  return text ? (
    <div className="rounded-lg border border-line bg-panel px-3 py-2 text-sm">
      {title && (
        <p className="mb-1 flex items-center gap-1.5 font-medium">
          <RoleIcon role={title} size={14} />
          {title}
        </p>
      )}
      <Markdown text={text} />
    </div>
  ) : undefined;
}

const saying = (field: string): ToolView => ({
  brief: (args) => textOf(args, field),
  input: (args) => words(args, field),
});

export const agentViews: Readonly<Record<string, ToolView>> = {
  create_agent: {
    brief: (args) =>
      [roleOf(textOf(args, "type") ?? ""), textOf(args, "instruction")].filter(Boolean).join(": "),
    input: (args) => words(args, "instruction", roleOf(textOf(args, "type") ?? "")),
    output: (text) => words({ text }, "text"),
  },
  reactivate_agent: saying("instruction"),
  reply_to_agent: saying("content"),
  ask_user: saying("question"),
  final_answer: saying("answer"),
};
