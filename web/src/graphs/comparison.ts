import type { ComparedNode, ComparedSide, Comparison } from "../api/graphs";
import { duration } from "../thread/format";
import { words } from "../words/graphs";

const say = words.comparison;

/** Two runs side by side, in words. */

/** A node that differs, and how. */
export interface Difference {
  nodeId: string;
  /** One line for each thing that differs. */
  lines: { what: string; left: string; right: string }[];
}

export function differencesOf({ nodes }: Comparison): Difference[] {
  return nodes.filter((n) => !n.same).map((n) => ({ nodeId: n.nodeId, lines: linesOf(n) }));
}

function linesOf(node: ComparedNode): Difference["lines"] {
  if (node.only !== "both") {
    const [left, right] = node.only === "left" ? [say.there, say.notThere] : [say.notThere, say.there];
    return [{ what: say.node, left, right }];
  }
  return node.turns.flatMap(({ left, right, inputs, outputs }, i) => {
    const turn = node.turns.length > 1 ? say.turn(i + 1) : "";
    const ended =
      endOf(left) === endOf(right)
        ? []
        : [{ what: `${turn}${say.end}`, left: endOf(left), right: endOf(right) }];
    const values = (kind: string, list: typeof inputs) =>
      list.map((v) => ({
        what: `${turn}${kind} ${v.port}`,
        left: v.left ?? say.nothing,
        right: v.right ?? say.nothing,
      }));
    return [...ended, ...values(say.given, inputs), ...values(say.gave, outputs)];
  });
}

const endOf = (side: ComparedSide | null) =>
  side ? side.status + (side.error ? `: ${side.error.message}` : "") : say.noTurn;

/** How long each run took: "1.2 s, then 900 ms". */
export function timesOf({ left, right }: Comparison): string {
  const took = (r: Comparison["left"]) =>
    r.endTime === null ? say.going : duration(r.endTime - r.startTime);
  return say.times(took(left), took(right));
}
