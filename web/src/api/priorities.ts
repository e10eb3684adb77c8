import type * as api from "../../../clients/typescript/src/api";
import { listAll, type Page } from "./calls";
import { request } from "./http";

/** What the page Priorities asks for. The types are the server's, with the values that its texts can have. */

type Known<T, Fields extends Partial<Record<keyof T, unknown>>> = Omit<T, keyof Fields> & Fields;

export const directions = ["increase", "decrease", "maintain", "launch", "ship"] as const;
export type Direction = (typeof directions)[number];
export type StatePreference = "Energized" | "Low energy";

export type Outcome = Known<
  api.UserOutcome,
  { direction: Direction; state_preference: StatePreference | null }
>;
export type OutcomeFields = Pick<
  Outcome,
  "direction" | "object" | "metric" | "clarifier" | "state_preference" | "daily_capacity_hours"
>;

export type SourceDocument = Known<
  api.DocumentSummary,
  { status: "queued" | "processing" | "completed" | "failed" }
>;

/** A task that was found in a document, and what agents made of it. */
export type FoundTask = api.PlannableTask;

/** The source depends on the target, which comes first. */
export interface Dependency {
  source_task_id: string;
  target_task_id: string;
  relationship_type: "prerequisite" | "blocks" | "related";
  confidence: number;
  detection_method: "ai_inference" | "stored_relationship";
}

export interface Wave {
  wave_number: number;
  task_ids: string[];
  parallel_execution: boolean;
  estimated_duration_hours: number | null;
}

export type Plan = Known<
  api.PrioritizedTaskPlan,
  {
    ordered_task_ids: string[];
    execution_waves: Wave[];
    dependencies: Dependency[];
    broken_cycles?: Dependency[];
    done?: string[];
  }
>;

export type StepStatus = "success" | "failed" | "skipped";
export type Step = Known<api.ReasoningStep, { status?: StepStatus }>;
export type Trace = Known<api.Trace, { steps: Step[] }>;

interface Ended {
  status: "queued" | "running" | "completed" | "failed";
  failed_tools: string[];
  notices: string[];
}
export type AnalysisSummary = Known<api.AnalysisSummary, Ended>;
export type Analysis = Known<api.Analysis, Ended & { doing: Step | null; prioritized_plan: Plan | null }>;

export const listOutcomes = () => listAll<Outcome>("/outcomes");
export const createOutcome = (fields: OutcomeFields) =>
  request<Outcome>("POST", "/outcomes", withoutNull(fields));

/** Changes an outcome. What is null is taken away, which the API has other values for. */
export const changeOutcome = (id: string, fields: OutcomeFields) =>
  request<Outcome>("PATCH", `/outcomes/${id}`, {
    ...fields,
    state_preference: fields.state_preference ?? "",
    daily_capacity_hours: fields.daily_capacity_hours ?? 0,
  });
export const activateOutcome = (id: string) =>
  request<Outcome>("PATCH", `/outcomes/${id}`, { is_active: true });
export const deleteOutcome = (id: string) => request<void>("DELETE", `/outcomes/${id}`);

const withoutNull = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

export const listDocuments = () => listAll<SourceDocument>("/documents");
export const addText = (title: string, content: string) =>
  request<SourceDocument>("POST", "/documents", { title, content });
export const deleteDocument = (id: string) => request<void>("DELETE", `/documents/${id}`);

/** Has a document processed once more. */
export async function processAgain(id: string): Promise<void> {
  const { content } = await request<{ content: string }>("GET", `/documents/${id}`);
  await request<SourceDocument>("PATCH", `/documents/${id}`, { content });
}

export const listFoundTasks = async () => (await request<Page<FoundTask>>("GET", "/tasks")).items;

export const isActive = ({ status }: AnalysisSummary) => status === "queued" || status === "running";

/** What is known of analyses: all, the one whose plan counts, and the one under way. */
export interface Analyses {
  all: AnalysisSummary[];
  current?: Analysis;
  running?: Analysis;
}

const newest = 100;

export async function loadAnalyses(): Promise<Analyses> {
  const { items: all } = await request<Page<AnalysisSummary>>("GET", `/agent/sessions?limit=${newest}`);
  const get = async (found: AnalysisSummary | undefined) =>
    found && (await request<Analysis>("GET", `/agent/sessions/${found.id}`));
  const [current, running] = await Promise.all([get(all.find((s) => s.is_current)), get(all.find(isActive))]);
  return { all, current, running };
}

export const getTrace = (id: string) => request<Trace>("GET", `/agent/sessions/${id}/trace`);
export const analyse = () => request<{ session_id: string }>("POST", "/agent/prioritize");
export const cancelAnalysis = (id: string) => request<Analysis>("POST", `/agent/sessions/${id}/cancel`);

/** What a person changes in a plan. */
export interface PlanEdit {
  /** Moves tasks to waves and holds them there. */
  pin?: Record<string, number>;
  unpin?: string[];
  done?: string[];
  undo?: string[];
}

export const editPlan = (id: string, edit: PlanEdit) =>
  request<Plan>("PATCH", `/agent/sessions/${id}/plan`, edit);

/** Gives the tasks of a wave to agents. What they make of them comes with the tasks. */
export const runWave = (id: string, wave: number) =>
  request<unknown>("POST", `/agent/sessions/${id}/waves/${wave}/run`);
