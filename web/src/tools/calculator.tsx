import { type ToolView, textOf } from "./view";

export const calculator: ToolView = {
  brief: (args) => textOf(args, "expression"),
  output: (text, args) => (
    <p className="rounded-lg border border-line bg-panel px-3 py-2 font-mono text-[15px] break-words">
      <span className="text-soft">{textOf(args, "expression")} = </span>
      <span className="font-semibold">{text}</span>
    </p>
  ),
};
