import type {
  Job,
  ListedRun,
  ModelConnection,
  ModelConnectionInput,
  ModelTest,
  NewModelConnection,
  Tool,
  ToolRun,
  Trigger,
  UsageReport,
} from "../../../clients/typescript/src/api";
import type { Page } from "./calls";
import { request } from "./http";

/** What the operations page and the connect-a-model panel ask for. */

export type { Job, ModelTest, Tool, ToolRun, Trigger };
export type Model = ModelConnection & { id: string };
export type Run = Omit<ListedRun, "kind" | "status"> & {
  id: string;
  kind: "message" | "task" | "graph" | "prioritisation";
  status: "running" | "waiting" | "success" | "failed" | "cancelled";
};
export type Attempt = NonNullable<Job["attempts"]>[number];
export type UsageRow = NonNullable<UsageReport["rows"]>[number];
export type { UsageReport };

export const listRuns = (query: URLSearchParams) => request<Page<Run>>("GET", `/runs?${query}`);
/** Runs of others, for administrators: how they went, and nothing of what was said. */
export const listServerRuns = (query: URLSearchParams) => request<Page<Run>>("GET", `/server/runs?${query}`);
export const cancelRun = (id: string) => request<unknown>("POST", `/runs/${encodeURIComponent(id)}/cancel`);
/** Lets a task that failed go on from its last good step. */
export const retryTask = (chatId: string, id: string) =>
  request<unknown>("POST", `/chats/${encodeURIComponent(chatId)}/tasks/${encodeURIComponent(id)}/retry`);

export const listTriggers = () => request<Page<Trigger>>("GET", "/triggers");
export const switchTrigger = (id: string, enabled: boolean) =>
  request<Trigger>("PATCH", `/triggers/${id}`, { enabled });

/** How many jobs of a kind are asked for. */
export const mostJobs = 500;

/** What was given up, then what waits or runs. */
export async function listJobs(query: URLSearchParams): Promise<Job[]> {
  const of = (more: Record<string, string>) =>
    request<Page<Job>>(
      "GET",
      `/jobs?${new URLSearchParams({ ...Object.fromEntries(query), ...more, limit: String(mostJobs) })}`,
    );
  const pages = await Promise.all([of({ state: "dead" }), of({})]);
  return pages.flatMap((p) => p.items);
}
export const retryJob = (id: string) => request<void>("POST", `/jobs/${id}/retry`);
export const discardJob = (id: string) => request<void>("DELETE", `/jobs/${id}`);

export const listModels = () => request<Page<Model>>("GET", "/models");
/** An id that is taken is refused, so that no connection takes the place of another. */
export const createModel = (model: NewModelConnection) =>
  request<unknown>("POST", "/records/model_connections", model);
/** What is left out stays, the key among it. */
export const changeModel = (id: string, model: Partial<ModelConnectionInput>) =>
  request<unknown>("PATCH", `/records/model_connections/${id}`, model);
/** Has a connection called wherever none is named. */
export const makeDefault = (id: string) => request<Model>("POST", `/models/${id}/default`);
export const deleteModel = (id: string) => request<void>("DELETE", `/models/${id}`);
export const testModel = (id: string) => request<ModelTest>("POST", `/models/${id}/test`);
/** Tries a connection as it would be saved. With the id of one that is there, a key that is left out is its own. */
export const testUnsaved = (model: NewModelConnection) => request<ModelTest>("POST", "/models/test", model);

export const listTools = () => request<Page<Tool> & { problems?: string[] }>("GET", "/tools");
export const tryTool = (name: string, args: unknown) =>
  request<ToolRun>("POST", `/tools/${name}/call`, { arguments: args });

/** What the caller used or, for administrators, what all users did. */
export const reportUsage = (whose: "mine" | "server", query: URLSearchParams) =>
  request<UsageReport>("GET", `/usage/${whose === "server" ? "server" : "report"}?${query}`);
