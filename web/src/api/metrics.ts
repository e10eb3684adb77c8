import type { MetricAnswer, MetricName } from "../../../clients/typescript/src/api";
import type { Page } from "./calls";
import { request } from "./http";

export type { MetricAnswer, MetricName };

/** Whose metrics are asked about: one's own, or those of the runtime for all users, which administrators see. */
export type Whose = "mine" | "server";

const base = (whose: Whose) => (whose === "server" ? "/metrics/server" : "/metrics");

export const metricNames = (whose: Whose) => request<Page<MetricName>>("GET", `${base(whose)}/names`);
export const askMetric = (whose: Whose, query: URLSearchParams) =>
  request<MetricAnswer>("GET", `${base(whose)}/query?${query}`);
