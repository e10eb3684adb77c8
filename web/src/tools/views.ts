import { agentViews } from "./agents";
import { calculator } from "./calculator";
import { clock } from "./clock";
import { documentViews } from "./documents";
import { readResult } from "./result";
import type { ToolView } from "./view";
import { webViews } from "./web";

/** A tool gets a view by a line here. */
const views: Readonly<Record<string, ToolView>> = {
  calculator,
  current_time: clock,
  read_result: readResult,
  ...agentViews,
  ...documentViews,
  ...webViews,
};

const none: ToolView = {};

export const viewOf = (tool: string): ToolView => (Object.hasOwn(views, tool) ? (views[tool] ?? none) : none);
