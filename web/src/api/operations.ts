import type { Page } from "./calls";
import { request } from "./http";
import type { Usage } from "./types";

/** What the operations page and the connect-a-model panel ask for. */

export interface Trigger {
  id: string;
  collection: string;
  events: string[];
  condition?: string;
  action: string;
  enabled: boolean;
  fired: number;
  lastFired?: number;
  errors: number;
  lastError?: string;
}

export interface Job {
  id: string;
  key: string;
  trigger: string;
  state: "ready" | "running" | "blocked" | "dead";
  change: { path: string; type: string };
  attempt: number;
  runAt: number;
  createdAt: number;
  error?: string;
}

export interface Model {
  id: string;
  name: string;
  description?: string;
  accessFormat: string;
  modelId: string;
  baseUrl?: string;
  hasSecret?: boolean;
  readOnly?: boolean;
}

export interface ModelTest {
  ok: boolean;
  report?: { model: string; text: string; latencyMs: number; cost?: string };
  error?: { message: string };
}

export interface Tool {
  name: string;
  description: string;
  parameters: JsonSchema;
  effect: string;
  needsApproval: boolean;
}

export interface JsonSchema {
  properties?: Record<string, { type?: string; description?: string }>;
  required?: string[];
}

export interface ToolOutcome {
  status: string;
  output?: string;
  error?: string;
  durationMs: number;
}

export interface DayUsage extends Usage {
  id: string;
  calls: number;
  costMicros: number;
}

export const listTriggers = () => request<Page<Trigger>>("GET", "/triggers");
export const switchTrigger = (id: string, enabled: boolean) =>
  request<Trigger>("PATCH", `/triggers/${id}`, { enabled });

export const listJobs = () => request<Page<Job>>("GET", "/jobs?limit=500");
export const replayJob = (id: string) => request<void>("POST", `/jobs/${id}/retry`);

export const listModels = () => request<Page<Model>>("GET", "/models");
export const saveModel = (id: string, model: Omit<Model, "id"> & { secret?: string }) =>
  request<Model>("PUT", `/models/${id}`, model);
export const deleteModel = (id: string) => request<void>("DELETE", `/models/${id}`);
export const testModel = (id: string) => request<ModelTest>("POST", `/models/${id}/test`);

export const listTools = () => request<Page<Tool> & { problems?: string[] }>("GET", "/tools");
export const tryTool = (name: string, args: unknown) =>
  request<ToolOutcome>("POST", `/tools/${name}/call`, { arguments: args });

export const usageByDay = () => request<Page<DayUsage>>("GET", "/usage");
