import type {
  Job,
  ModelConnection,
  ModelConnectionInput,
  ModelTest,
  Tool,
  ToolRun,
  Trigger,
  UsageDay,
} from "../../../clients/typescript/src/api";
import type { Page } from "./calls";
import { request } from "./http";

/** What the operations page and the connect-a-model panel ask for. */

export type { Job, ModelTest, Tool, ToolRun, Trigger };
export type Model = ModelConnection & { id: string };
export type DayUsage = UsageDay & { id: string };

export const listTriggers = () => request<Page<Trigger>>("GET", "/triggers");
export const switchTrigger = (id: string, enabled: boolean) =>
  request<Trigger>("PATCH", `/triggers/${id}`, { enabled });

/** What waits or runs, after what was given up. */
export async function listJobs(): Promise<Job[]> {
  const pages = await Promise.all([
    request<Page<Job>>("GET", "/jobs?state=dead&limit=500"),
    request<Page<Job>>("GET", "/jobs?limit=500"),
  ]);
  return pages.flatMap((p) => p.items);
}
export const replayJob = (id: string) => request<void>("POST", `/jobs/${id}/retry`);

export const listModels = () => request<Page<Model>>("GET", "/models");
export const saveModel = (id: string, model: ModelConnectionInput) =>
  request<Model>("PUT", `/models/${id}`, model);
export const deleteModel = (id: string) => request<void>("DELETE", `/models/${id}`);
export const testModel = (id: string) => request<ModelTest>("POST", `/models/${id}/test`);

export const listTools = () => request<Page<Tool> & { problems?: string[] }>("GET", "/tools");
export const tryTool = (name: string, args: unknown) =>
  request<ToolRun>("POST", `/tools/${name}/call`, { arguments: args });

export const usageByDay = () => request<Page<DayUsage>>("GET", "/usage");
