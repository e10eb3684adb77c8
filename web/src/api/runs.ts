import type * as api from "../../../clients/typescript/src/api";
import type { Page } from "./calls";
import { request } from "./http";
import type { Meta } from "./types";

/** What happened in runs. The types are the server's, with the values that its texts can have. */

/** What comes through the API has an id and its times. */
type Stored<T extends Partial<Meta>> = T & Required<Pick<T, "id" | "version" | "createdAt">>;

export type Run = Stored<api.Run>;
export type RowKind =
  | "message"
  | "orchestrator"
  | "agent"
  | "model"
  | "tool"
  | "question"
  | "execution"
  | "node"
  | "session";
export type RowStatus =
  | "pending"
  | "running"
  | "waiting"
  | "success"
  | "failed"
  | "could_not"
  | "cancelled"
  | "skipped";
export type WaitFor = "queue" | "model" | "tool" | "person";
type Row = NonNullable<api.RunTree["rows"]>[number];
export type RunRow = Omit<Row, "kind" | "status" | "waits"> & {
  kind: RowKind;
  status: RowStatus;
  waits?: { for: WaitFor; from: number; to?: number }[] | null;
};
export type RunTree = Omit<api.RunTree, "rows" | "run"> & { rows: RunRow[]; run: Run };
export type RunStep = api.RunStep;
export type RunPrompt = Omit<api.RunPrompt, "messages" | "tools"> & {
  messages: NonNullable<api.RunPrompt["messages"]>;
  tools: string[];
};
export type RunShare = Stored<api.RunShare>;

/** Where a run is read: as one's own, or by a link that somebody made. */
export interface Source {
  run?: string;
  token?: string;
}

const base = ({ run, token }: Source) => (token ? `/shared/${token}` : `/runs/${run}`);

/** All rows, or those that are new since a position of the log. */
export async function readTree(from: Source, since = 0): Promise<RunTree> {
  let tree: RunTree | undefined;
  let cursor = "";
  do {
    const query = `since=${since}&cursor=${encodeURIComponent(cursor)}`;
    const page = await request<RunTree>("GET", `${base(from)}/tree?${query}`);
    // What is written while pages are read is told again with the next reading.
    tree = tree ? { ...page, seq: tree.seq, run: tree.run, rows: [...tree.rows, ...page.rows] } : page;
    cursor = page.next ?? "";
  } while (cursor);
  return tree;
}

export const readStep = (from: Source, row: string) =>
  request<RunStep>("GET", `${base(from)}/step?row=${encodeURIComponent(row)}`);

export const readPrompt = (run: string, row: string) =>
  request<RunPrompt>("GET", `/runs/${run}/prompt?row=${encodeURIComponent(row)}`);

/** The newest runs of a chat. */
export const listChatRuns = async (chatId: string) =>
  (await request<Page<Run>>("GET", `/runs?limit=100&chatId=${encodeURIComponent(chatId)}`)).items;

export const cancelRun = (run: string) => request<void>("POST", `/runs/${run}/cancel`);

export const listShares = async (run: string) =>
  (await request<Page<RunShare>>("GET", `/runs/${run}/shares`)).items;

export const shareRun = (run: string, expiresAt?: number) =>
  request<RunShare & { token: string }>("POST", `/runs/${run}/shares`, expiresAt ? { expiresAt } : {});

export const revokeShare = (run: string, share: string) =>
  request<void>("DELETE", `/runs/${run}/shares/${share}`);
