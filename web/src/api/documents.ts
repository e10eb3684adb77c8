import type * as api from "../../../clients/typescript/src/api";
import type { Page } from "./calls";
import { ApiError, request } from "./http";

/** What the page Documents asks for. */

export type TextDocument = api.TextDocument;
/** A version without its content. */
export type Summary = api.TextSummary;
export type Author = api.DocumentAuthor;

const base = "/records/text_documents";

export const searchDocuments = (words: string, limit: number) =>
  request<Page<Summary>>("GET", `${base}/summaries?limit=${limit}&q=${encodeURIComponent(words)}`);

export const getVersion = (id: string) => request<TextDocument>("GET", `${base}/${id}`);

/** The versions of a document, last to first. */
export async function listHistory(id: string): Promise<Summary[]> {
  return (await request<Page<Summary>>("GET", `${base}/${id}/history?limit=1000`)).items;
}

export interface Text {
  title: string;
  content: string;
}

export const createDocument = (text: Text) => request<TextDocument>("POST", base, text);

export const saveVersion = (id: string, text: Text) =>
  request<TextDocument>("POST", `${base}/${id}/versions`, text);

export const restoreVersion = (id: string) => request<TextDocument>("POST", `${base}/${id}/restore`);

export const deleteDocument = (lastId: string) => request<void>("DELETE", `${base}/${lastId}`);

export const diffVersions = async (from: string, to: string) =>
  (await request<api.Difference>("GET", `${base}/${from}/diff?to=${to}`)).unified;

/** How a text that is not saved differs from a version. */
export const diffText = async (from: string, content: string) =>
  (await request<api.Difference>("POST", `${base}/${from}/diff`, { content })).unified;

/** Whether somebody saved a version after the one that was to be followed. */
export const isLate = (e: unknown) => e instanceof ApiError && e.details.reason === "NOT_LAST";

export const isGone = (e: unknown) => e instanceof ApiError && e.status === 404;
