import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo } from "react";
import { portColour } from "./looks";
import { brief } from "./replay";

export type EdgeView = Edge<
  {
    /** The type of what goes over it. */
    type?: string;
    isWrong: boolean;
    /** What went over it in the run that is looked at. */
    value?: { is: unknown };
  },
  "graph"
>;

/** An edge in the colour of its data, with the data of a run on it. */
export const GraphEdgeView = memo(function GraphEdgeView(props: EdgeProps<EdgeView>) {
  const [path, x, y] = getBezierPath(props);
  const { type, isWrong = false, value } = props.data ?? {};
  return (
    <>
      <BaseEdge
        path={path}
        style={{
          stroke: isWrong ? "var(--color-bad)" : portColour(type),
          strokeDasharray: isWrong ? "6 4" : undefined,
        }}
      />
      {value && type !== "signal" && (
        <EdgeLabelRenderer>
          <div
            data-edge={props.id}
            title={typeof value.is === "string" ? value.is : JSON.stringify(value.is, null, 2)}
            className={`nodrag nopan pointer-events-none absolute max-w-36 truncate rounded border bg-raised px-1.5 text-[11px] text-soft ${props.selected ? "border-accent" : "border-line"}`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            {brief(value.is)}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
