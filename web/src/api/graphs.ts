import type * as api from "../../../clients/typescript/src/api";
import { apiPath } from "../base";
import { listAll, type Page } from "./calls";
import { request } from "./http";

/** What the pages of agent graphs ask for. The types are the server's, without the nulls that it never sends. */

export type GraphNode = api.GraphNode;
export type GraphEdge = api.GraphEdge;
export interface Drawn {
  nodes: GraphNode[];
  edges: GraphEdge[];
  maxResolutions?: number;
}
/** What a person draws and names. */
export interface Doc extends Drawn {
  name: string;
  description: string;
}
export interface SavedGraph extends Doc {
  id: string;
  version: number;
  updatedAt: number;
}

export type Port = api.NodePort;
export interface NodeType extends Omit<api.NodeType, "inputs" | "outputs"> {
  inputs: Port[];
  outputs: Port[];
}
export interface Template extends Doc {
  id: string;
  input: unknown;
}
export type Problem = api.GraphProblem;
export interface Report {
  errors: Problem[];
  warnings: Problem[];
}

export type RunSummary = api.GraphExecutionSummary;
export interface Run extends RunSummary {
  graph: Drawn;
  input: unknown;
  output: Record<string, unknown>;
}
export type Turn = api.NodeResolution;

const graphs = "/records/agent_graphs";
const executions = "/records/agent_graph_executions";

export const listNodeTypes = async () => (await request<Page<NodeType>>("GET", "/node_types")).items;
export const listTemplates = async () => (await request<Page<Template>>("GET", "/graph_templates")).items;
export const listGraphs = () => listAll<SavedGraph>(graphs);
export const getGraph = (id: string) => request<SavedGraph>("GET", `${graphs}/${id}`);
export const createGraph = (doc: Doc) => request<SavedGraph>("POST", graphs, doc);
export const deleteGraph = (id: string) => request<void>("DELETE", `${graphs}/${id}`);
export const validateGraph = ({ nodes, edges, maxResolutions }: Drawn) =>
  request<Report>("POST", `${graphs}/validate`, { nodes, edges, maxResolutions });

/** Saves what was made of one version. If there is a newer one by now, nothing changes and the code is conflict. */
export const saveGraph = (id: string, version: number, doc: Partial<Doc>) =>
  request<SavedGraph>("PATCH", `${graphs}/${id}`, doc, version);

export const runGraph = (id: string, input: unknown) =>
  request<Run>("POST", `${graphs}/${id}/executions`, { input });
export const listRuns = async (graphId: string) =>
  (
    await request<Page<RunSummary>>(
      "GET",
      `${executions}?limit=50&agentGraphId=${encodeURIComponent(graphId)}`,
    )
  ).items;
export const getRun = (id: string) => request<Run>("GET", `${executions}/${id}`);
export const listTurns = (id: string) => listAll<Turn>(`${executions}/${id}/resolutions`);
export const cancelRun = (id: string) => request<Run>("POST", `${executions}/${id}/cancel`);
export const deleteRun = (id: string) => request<void>("DELETE", `${executions}/${id}`);
export const runEvents = (id: string) => `${apiPath}${executions}/${id}/events`;

/** Gives no node a turn any more, until the run is resumed. */
export const pauseRun = (id: string) => request<Run>("POST", `${executions}/${id}/pause`);
export const resumeRun = (id: string) => request<Run>("POST", `${executions}/${id}/resume`);

/** The graph that a run is repeated with: as it was, or as it is saved now. */
export type RerunGraph = "recorded" | "current";
/** Runs again from a node on. All before it has the values that were recorded. */
export const rerun = (id: string, from: string, graph: RerunGraph) =>
  request<Run>("POST", `${executions}/${id}/rerun`, { from, graph });

/** How two runs differ, node by node. */
export interface Comparison {
  left: RunSummary;
  right: RunSummary;
  same: boolean;
  nodes: ComparedNode[];
  truncated: boolean;
}
export interface ComparedNode {
  nodeId: string;
  nodeType: string;
  only: "left" | "right" | "both";
  same: boolean;
  turns: ComparedTurn[];
}
export interface ComparedTurn {
  left: ComparedSide | null;
  right: ComparedSide | null;
  inputs: ValueDifference[];
  outputs: ValueDifference[];
}
export type ComparedSide = Pick<Turn, "number" | "status" | "error" | "startTime" | "endTime">;
/** The beginnings of two values as JSON; null is none. */
export interface ValueDifference {
  port: string;
  left: string | null;
  right: string | null;
}
export const compareRuns = (id: string, to: string) =>
  request<Comparison>("GET", `${executions}/${id}/compare?to=${encodeURIComponent(to)}`);
