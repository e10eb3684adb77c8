import { Value } from "../values/value";
import { words } from "../words";
import { type ToolView, textOf } from "./view";

const say = words.render.tools;

/** Which part of an earlier result it is, in brackets, then that part. */
const piece = /^\[([^\]\n]*)\]\n([\s\S]+)$/;

export const readResult: ToolView = {
  brief: (args) => textOf(args, "id"),
  output: (text) => {
    const [, which, part] = piece.exec(text) ?? [];
    return part ? (
      <>
        <p className="text-xs text-soft">{which}</p>
        <Value name={say.piece} text={part} />
      </>
    ) : undefined;
  },
};
