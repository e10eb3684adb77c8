// Generated from the description of the API at /api/v1/openapi.json. Do not edit.

import { type Call, type ServerEvent, Transport } from "./transport.js";

export interface APIKey {
  createdAt: number;
  createdSeq: number;
  expiresAt?: number;
  hint: string;
  id: string;
  lastUsedAt?: number;
  name: string;
  scopes: Array<string> | null;
  seq: number;
  updatedAt: number;
  version: number;
}

export interface Account {
  budget?: Budget | null;
  createdAt: number;
  createdBy: string;
  createdSeq: number;
  id: string;
  members: Record<string, "owner" | "member" | "viewer">;
  name: string;
  personal: boolean;
  seq: number;
  updatedAt: number;
  version: number;
}

export interface AccountLimit {
  createdAt: number;
  createdSeq: number;
  id: string;
  jobs: number;
  seq: number;
  updatedAt: number;
  version: number;
}

export interface AgentGraph {
  createdAt: number;
  createdSeq: number;
  description: string;
  edges: Array<{
    createdAt?: number;
    id?: string;
    sourceNodeId: string;
    sourcePortId: string;
    targetNodeId: string;
    targetPortId: string;
    updatedAt?: number;
  }> | null;
  id: string;
  maxResolutions?: number;
  name: string;
  nodes: Array<{
    createdAt?: number;
    id: string;
    nodeId: string;
    parameters?: Record<string, unknown>;
    position: {
      x: number;
      y: number;
    };
    retry?: {
      attempts: number;
      pauseMs?: number;
    } | null;
    updatedAt?: number;
  }> | null;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface AgentGraphBatch {
  records: Array<AgentGraphFields>;
}

export interface AgentGraphChange {
  description?: string | null;
  edges?: Array<GraphEdge> | null;
  maxResolutions?: number | null;
  name?: string | null;
  nodes?: Array<GraphNodeInput> | null;
}

export interface AgentGraphExecution {
  agentGraphId: string;
  chatId?: string;
  createdAt: number;
  createdSeq: number;
  depth?: number;
  endTime?: number;
  error?: {
    code: string;
    message: string;
    nodeId?: string;
  } | null;
  graph: {
    edges: Array<{
      createdAt?: number;
      id?: string;
      sourceNodeId: string;
      sourcePortId: string;
      targetNodeId: string;
      targetPortId: string;
      updatedAt?: number;
    }> | null;
    maxResolutions?: number;
    nodes: Array<{
      createdAt?: number;
      id: string;
      nodeId: string;
      parameters?: Record<string, unknown>;
      position: {
        x: number;
        y: number;
      };
      retry?: {
        attempts: number;
        pauseMs?: number;
      } | null;
      updatedAt?: number;
    }> | null;
  };
  id: string;
  /** Any JSON value. */
  input?: unknown;
  item?: number;
  messageId?: string;
  name: string;
  output?: Record<string, unknown>;
  parentExecutionId?: string;
  parentResolution?: number;
  rerunFrom?: string;
  rerunOf?: string;
  rootExecutionId?: string;
  runId?: string;
  seq: number;
  startTime: number;
  status: "running" | "paused" | "completed" | "failed" | "cancelled";
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface AgentGraphFields {
  description?: string;
  edges: Array<GraphEdge>;
  id?: string;
  maxResolutions?: number;
  name: string;
  nodes: Array<GraphNodeInput>;
}

export interface AgentSession {
  createdAt: number;
  createdSeq: number;
  doing?: {
    duration_ms: number;
    error?: string;
    status?: string;
    step_number: number;
    thought: string | null;
    timestamp: string;
    /** Any JSON value. */
    tool_input: unknown;
    tool_name: string | null;
    /** Any JSON value. */
    tool_output: unknown;
  } | null;
  error?: string;
  execution_metadata: {
    error_count: number;
    steps_taken: number;
    success_rate: number;
    thinking_time_ms: number;
    tool_call_count: Record<string, number>;
    tool_execution_time_ms: number;
    total_time_ms: number;
  };
  failed_tools?: Array<string> | null;
  id: string;
  next?: Array<{
    duration_ms: number;
    error?: string;
    status?: string;
    step_number: number;
    thought: string | null;
    timestamp: string;
    /** Any JSON value. */
    tool_input: unknown;
    tool_name: string | null;
    /** Any JSON value. */
    tool_output: unknown;
  }> | null;
  notices?: Array<string> | null;
  outcome_id: string;
  partial?: boolean;
  prioritized_plan?: {
    broken_cycles?: Array<{
      confidence: number;
      detection_method: string;
      relationship_type: string;
      source_task_id: string;
      target_task_id: string;
    }> | null;
    confidence_scores: Record<string, number>;
    dependencies: Array<{
      confidence: number;
      detection_method: string;
      relationship_type: string;
      source_task_id: string;
      target_task_id: string;
    }> | null;
    done?: Array<string> | null;
    execution_waves: Array<{
      estimated_duration_hours: number | null;
      parallel_execution: boolean;
      task_ids: Array<string> | null;
      wave_number: number;
    }> | null;
    ordered_task_ids: Array<string> | null;
    pinned?: Record<string, number>;
    put_last?: Array<string> | null;
    synthesis_summary: string;
  } | null;
  runId?: string;
  seq: number;
  skipped?: Array<string> | null;
  slot?: "running" | "current";
  status?: "queued" | "running" | "completed" | "failed";
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Analysis {
  created_at: string;
  doing: ReasoningStep | null;
  error: string | null;
  execution_metadata: {
    error_count: number;
    steps_taken: number;
    success_rate: number;
    thinking_time_ms: number;
    tool_call_count: Record<string, number>;
    tool_execution_time_ms: number;
    total_time_ms: number;
  };
  failed_tools: Array<string> | null;
  id: string;
  is_current: boolean;
  notices: Array<string> | null;
  outcome_id: string;
  partial: boolean;
  prioritized_plan: PrioritizedTaskPlan | null;
  status: string;
  updated_at: string;
  user_id: string;
}

export type AnalysisRequest = Record<string, unknown>;

export interface AnalysisStatus {
  error: string | null;
  execution_metadata: {
    error_count: number;
    steps_taken: number;
    success_rate: number;
    thinking_time_ms: number;
    tool_call_count: Record<string, number>;
    tool_execution_time_ms: number;
    total_time_ms: number;
  };
  failed_tools: Array<string> | null;
  notices: Array<string> | null;
  partial: boolean;
  session_id: string;
  status: string;
}

export interface AnalysisSummary {
  created_at: string;
  error: string | null;
  execution_metadata: {
    error_count: number;
    steps_taken: number;
    success_rate: number;
    thinking_time_ms: number;
    tool_call_count: Record<string, number>;
    tool_execution_time_ms: number;
    total_time_ms: number;
  };
  failed_tools: Array<string> | null;
  id: string;
  is_current: boolean;
  notices: Array<string> | null;
  outcome_id: string;
  partial: boolean;
  status: string;
  updated_at: string;
  user_id: string;
}

export interface Batch {
  operations: Array<BatchOperation>;
}

export interface BatchAnswer {
  written: Array<Written>;
}

export interface BatchOperation {
  /** Any JSON value. */
  body?: unknown;
  ifMatch?: number | null;
  op: "create" | "put" | "patch" | "delete";
  path: string;
}

export interface BegunAnalysis {
  execution_metadata: {
    error_count: number;
    steps_taken: number;
    success_rate: number;
    thinking_time_ms: number;
    tool_call_count: Record<string, number>;
    tool_execution_time_ms: number;
    total_time_ms: number;
  };
  prioritized_plan: PrioritizedTaskPlan | null;
  session_id: string;
  status: string;
}

export interface Block {
  createdAt: number;
  createdSeq: number;
  groups: Array<{
    data: string;
    name: string;
    start: number;
  }> | null;
  id: string;
  newest: number;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Budget {
  costMicros?: number;
  perDay?: {
    costMicros?: number;
    tokens?: number;
  } | null;
  perMonth?: {
    costMicros?: number;
    tokens?: number;
  } | null;
  tokens?: number;
}

export interface Change {
  after?: Document | null;
  at: number;
  before?: Document | null;
  path: string;
  seq: number;
  type: "create" | "update" | "delete";
  version: number;
}

export interface ChangeEvent {
  collection: string;
  document: Document | null;
  id: string;
  path: string;
  seq: number;
  type: "create" | "update" | "delete";
}

export interface Changes {
  budget?: Budget | null;
  name?: string | null;
}

export interface Chat {
  accountId?: string;
  budget?: {
    costMicros?: number;
    perDay?: {
      costMicros?: number;
      tokens?: number;
    } | null;
    perMonth?: {
      costMicros?: number;
      tokens?: number;
    } | null;
    tokens?: number;
  } | null;
  clientTools?: Array<{
    description?: string;
    name: string;
    /** Any JSON value. */
    parameters?: unknown;
  }> | null;
  costMicros?: number;
  createdAt: number;
  createdSeq: number;
  forkedFrom?: {
    chatId: string;
    insteadIn?: string;
    insteadOf?: string;
    kept?: boolean;
    keptId?: string;
    keptIn?: string;
    messageId: string;
    saidAt: number;
    title?: string;
    userId: string;
  } | null;
  id: string;
  /** Any JSON value. */
  metadata?: unknown;
  modelConnectionId?: string;
  participant?: string;
  projectId?: string;
  seq: number;
  systemPrompt?: string;
  title?: string;
  titleGenerated?: boolean;
  unsaidCostMicros?: number;
  unsaidUsage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  updatedAt: number;
  usage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  userId?: string;
  version: number;
}

export interface ChatFile {
  chatId?: string;
  createdAt: number;
  createdSeq: number;
  id: string;
  mediaType: string;
  messages: number;
  name?: string;
  ownerId: string;
  seq: number;
  size: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface ChatFork {
  chatId?: string;
  createdAt: number;
  createdSeq: number;
  forkChatId: string;
  forkUserId: string;
  id: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface ChatMark {
  createdAt?: number;
  createdSeq?: number;
  folder?: string;
  id?: string;
  ownerId: string;
  pinned?: boolean;
  seenAt?: number;
  seq?: number;
  updatedAt?: number;
  userId?: string;
  version?: number;
}

export interface ChatPatch {
  budget?: Budget | null;
  clientTools?: Array<{
    description?: string;
    name: string;
    /** Any JSON value. */
    parameters?: unknown;
  }> | null;
  /** Any JSON value. */
  metadata?: unknown;
  modelConnectionId?: string | null;
  participant?: string | null;
  systemPrompt?: string | null;
  title?: string | null;
}

export interface ChatThread {
  createdAt: number;
  createdSeq: number;
  description: string;
  id: string;
  name: string;
  participantId: string;
  seq: number;
  threadId: string;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface ChatThreadChange {
  description?: string | null;
  name?: string | null;
  participantId?: string | null;
  threadId?: string | null;
}

export interface CloneRequest {
  id?: string;
}

export interface ComparedText {
  content: string;
}

export interface Conversation {
  at?: string;
  chatId: string;
  taskId?: string;
  turns: Array<ThreadTurn> | null;
}

export interface Credentials {
  login?: string;
  password?: string;
  token?: string;
}

export interface DeletedRecord {
  id: string;
}

export interface DeltaEvent {
  chatId?: string;
  id: string;
  kind: "text" | "reasoning" | "tool" | "restart" | "done" | "drop";
  offset: number;
  path: string;
  runId?: string;
  subAgentId?: string;
  taskId?: string;
  text?: string;
  tool?: {
    callId: string;
    name: string;
    status: string;
  } | null;
}

export interface Difference {
  fromId: string;
  toId: string;
  unified: string;
}

/** A document of any kind: the server's fields and its own. */
export interface Document {
  createdAt: number;
  createdSeq: number;
  id: string;
  seq: number;
  updatedAt: number;
  version: number;
  [field: string]: unknown;
}

export interface DocumentAuthor {
  chatId?: string;
  role?: string;
  subAgentId?: string;
  taskId?: string;
  toolCallId?: string;
  userId: string;
}

export interface DocumentChange {
  content?: string | null;
  title?: string | null;
}

export interface DocumentFields {
  content: string;
  title: string;
}

export interface DocumentSummary {
  created_at: string;
  error?: string;
  id: string;
  notice?: string;
  source_type: string;
  status: string;
  task_count: number;
  title: string;
  updated_at: string;
  user_id: string;
}

export interface DrawnGraph {
  edges: Array<GraphEdge> | null;
  maxResolutions?: number;
  nodes: Array<GraphNode> | null;
}

export interface Edit {
  done?: Array<string> | null;
  order?: Array<string> | null;
  pin?: Record<string, number>;
  undo?: Array<string> | null;
  unpin?: Array<string> | null;
}

export interface EditedPlan {
  broken_cycles?: Array<{
    confidence: number;
    detection_method: string;
    relationship_type: string;
    source_task_id: string;
    target_task_id: string;
  }> | null;
  confidence_scores: Record<string, number>;
  dependencies: Array<{
    confidence: number;
    detection_method: string;
    relationship_type: string;
    source_task_id: string;
    target_task_id: string;
  }> | null;
  done?: Array<string> | null;
  execution_waves: Array<{
    estimated_duration_hours: number | null;
    parallel_execution: boolean;
    task_ids: Array<string> | null;
    wave_number: number;
  }> | null;
  notices: Array<string> | null;
  ordered_task_ids: Array<string> | null;
  pinned?: Record<string, number>;
  put_last?: Array<string> | null;
  synthesis_summary: string;
}

export interface Error {
  error: ErrorDescription;
}

export type ErrorCode = "already_exists" | "cancelled" | "conflict" | "forbidden" | "internal" | "invalid" | "lease_lost" | "not_found" | "over_budget" | "rate_limited" | "storage_full" | "timeout" | "too_large" | "too_old" | "unauthenticated" | "unavailable";

export interface ErrorDescription {
  code: ErrorCode;
  details?: Record<string, unknown>;
  message: string;
}

export interface File {
  chats: number;
  createdAt?: number;
  createdSeq?: number;
  id?: string;
  mediaType: string;
  name?: string;
  seq?: number;
  size: number;
  state: string;
  storage: string;
  storedAs: string;
  updatedAt?: number;
  userId?: string;
  version?: number;
}

/** One comparison, or a combination of filters. A comparison is strict about types. */
export interface Filter {
  and?: Array<Filter>;
  field?: string;
  op?: "=" | "!=" | "<" | "<=" | ">" | ">=" | "in";
  or?: Array<Filter>;
  /** Any JSON value. */
  value?: unknown;
}

export interface Find {
  at: number;
  chatId: string;
  chatTitle?: string;
  createdAt: number;
  field: string;
  id: string;
  kind: "chat" | "message" | "task";
  path: string;
  role?: string;
  snippet: Array<{
    found?: boolean;
    text: string;
  }> | null;
  subAgentId?: string;
  userId: string;
}

export interface FindPage {
  items: Array<Find> | null;
  next?: string;
  searchedTo?: number;
}

export interface GraphComparison {
  left: GraphExecutionSummary;
  nodes: Array<{
    nodeId: string;
    nodeType: string;
    only: string;
    same: boolean;
    turns: Array<{
      inputs: Array<{
        left: string | null;
        leftBytes: number;
        port: string;
        right: string | null;
        rightBytes: number;
      }> | null;
      left: {
        attempts: number;
        endTime: number | null;
        error: NodeFailure | null;
        number: number;
        recorded: boolean;
        startTime: number;
        status: string;
      } | null;
      outputs: Array<{
        left: string | null;
        leftBytes: number;
        port: string;
        right: string | null;
        rightBytes: number;
      }> | null;
      right: {
        attempts: number;
        endTime: number | null;
        error: NodeFailure | null;
        number: number;
        recorded: boolean;
        startTime: number;
        status: string;
      } | null;
    }> | null;
  }> | null;
  right: GraphExecutionSummary;
  same: boolean;
  truncated: boolean;
}

export interface GraphEdge {
  createdAt?: number;
  id?: string;
  sourceNodeId: string;
  sourcePortId: string;
  targetNodeId: string;
  targetPortId: string;
  updatedAt?: number;
}

export interface GraphExecution {
  agentGraphId: string;
  createdAt: number;
  endTime: number | null;
  error: NodeFailure | null;
  graph: DrawnGraph;
  id: string;
  /** Any JSON value. */
  input: unknown;
  name: string;
  output: Record<string, unknown>;
  parentExecutionId?: string;
  rerunFrom?: string;
  rerunOf?: string;
  startTime: number;
  status: string;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface GraphExecutionRequest {
  /** Any JSON value. */
  input?: unknown;
}

export interface GraphExecutionSummary {
  agentGraphId: string;
  createdAt: number;
  endTime: number | null;
  error: NodeFailure | null;
  id: string;
  name: string;
  parentExecutionId?: string;
  rerunFrom?: string;
  rerunOf?: string;
  startTime: number;
  status: string;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface GraphInput {
  edges: Array<GraphEdge>;
  maxResolutions?: number;
  nodes: Array<GraphNodeInput>;
}

export interface GraphNode {
  createdAt?: number;
  id: string;
  nodeId: string;
  parameters?: Record<string, unknown>;
  position: {
    x: number;
    y: number;
  };
  retry?: {
    attempts: number;
    pauseMs?: number;
  } | null;
  updatedAt?: number;
}

export interface GraphNodeInput {
  createdAt?: number;
  id: string;
  nodeId: string;
  parameters?: Record<string, unknown>;
  position?: {
    x: number;
    y: number;
  };
  retry?: {
    attempts: number;
    pauseMs?: number;
  } | null;
  updatedAt?: number;
}

export interface GraphProblem {
  code: string;
  edgeIndex?: number | null;
  message: string;
  nodeId: string;
}

export interface GraphReport {
  errors: Array<GraphProblem> | null;
  warnings: Array<GraphProblem> | null;
}

export interface GraphRerunRequest {
  from?: string;
  graph?: string;
}

export interface GraphTemplate {
  description: string;
  edges: Array<GraphEdge> | null;
  id: string;
  /** Any JSON value. */
  input: unknown;
  maxResolutions?: number;
  name: string;
  nodes: Array<GraphNode> | null;
}

export interface HandedWave {
  chat_id: string;
  tasks: Array<{
    agent_task_id: string;
    status: string;
    task_id: string;
  }> | null;
}

export interface Invitation {
  accountId: string;
  accountName: string;
  createdAt: number;
  createdSeq: number;
  expiresAt: number;
  id: string;
  invitedBy: string;
  role: "owner" | "member" | "viewer";
  seq: number;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface Job {
  action?: string;
  attempt: number;
  attempts?: Array<{
    attempt: number;
    beganAt?: number;
    endedAt: number;
    error: string;
    node?: string;
  }> | null;
  change: Change;
  createdAt: number;
  error?: string;
  id: string;
  key: string;
  owner?: string;
  run?: string;
  runAt: number;
  state: "ready" | "running" | "blocked" | "dead";
  trigger: string;
  waitsFor?: {
    id: string;
    limit: number;
    of: string;
  } | null;
}

export interface KeptMessage {
  answers?: Array<string> | null;
  authorId?: string;
  chatId?: string;
  content: string;
  createdAt: number;
  createdSeq: number;
  executionId?: string;
  fromChatId: string;
  fromUserId: string;
  handedTo?: string;
  id: string;
  isLlmMessage?: boolean | null;
  messageId: string;
  metadata?: {
    attempts?: number;
    costMicros?: number;
    durationMs?: number;
    finishReason?: string;
    firstMs?: number;
    model?: string;
    /** Any JSON value. */
    reasoning?: unknown;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
  } | null;
  parts?: Array<{
    fileId?: string;
    mediaType?: string;
    name?: string;
    size?: number;
    text?: string;
    type: string;
  }> | null;
  questionId?: string;
  repliesTo?: string;
  role: string;
  runId?: string;
  saidAt: number;
  saidSeq: number;
  seq: number;
  subAgentId?: string;
  taskId?: string;
  title?: string;
  toolCallId?: string;
  toolCalls?: Array<{
    function: {
      arguments: string;
      name: string;
    };
    id: string;
    providerId?: string;
    signature?: string;
    type: string;
  }> | null;
  type?: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface LatestAnalysis {
  created_at: string;
  doing: ReasoningStep | null;
  error: string | null;
  execution_metadata: {
    error_count: number;
    steps_taken: number;
    success_rate: number;
    thinking_time_ms: number;
    tool_call_count: Record<string, number>;
    tool_execution_time_ms: number;
    total_time_ms: number;
  };
  failed_tools: Array<string> | null;
  id: string;
  is_current: boolean;
  notices: Array<string> | null;
  outcome_id: string;
  partial: boolean;
  prioritized_plan: PrioritizedTaskPlan | null;
  running_session_id: string | null;
  status: string;
  updated_at: string;
  user_id: string;
}

export interface LinePart {
  from: number;
  line: string;
  to: number;
}

export interface ListedRun {
  about?: string;
  agents?: number;
  answers?: Array<string> | null;
  beganAt: number;
  by?: string;
  calls?: number;
  cancelledBy?: string;
  chatId?: string;
  costMicros: number;
  createdAt?: number;
  createdSeq?: number;
  endedAt?: number;
  errors?: Array<string> | null;
  id?: string;
  joined?: Array<string> | null;
  joinedTo?: string;
  kind: string;
  models?: Array<string> | null;
  participant?: string;
  reach?: Array<{
    key?: string;
    patterns?: Array<string> | null;
    until?: number;
  }> | null;
  resumes?: number;
  roles?: Array<string> | null;
  root: string;
  seq?: number;
  status: string;
  tools?: Array<string> | null;
  unsaidCostMicros?: number;
  unsaidModels?: Array<string> | null;
  unsaidUsage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  updatedAt?: number;
  usage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  userId?: string;
  version?: number;
  waitingFor?: Array<string> | null;
  watched?: boolean;
}

export interface Login {
  user: Me;
}

export interface MadeKey {
  createdAt?: number;
  createdSeq?: number;
  expiresAt?: number;
  hint: string;
  id?: string;
  key: string;
  lastUsedAt?: number;
  name: string;
  scopes: Array<string> | null;
  seq?: number;
  updatedAt?: number;
  version?: number;
}

export interface Me {
  admin: boolean;
  id: string;
  kind: "session" | "key" | "local" | "webhook";
  name: string;
}

export interface Message {
  answers?: Array<string> | null;
  authorId?: string;
  chatId?: string;
  content: string;
  createdAt: number;
  createdSeq: number;
  executionId?: string;
  handedTo?: string;
  id: string;
  isLlmMessage?: boolean | null;
  metadata?: {
    attempts?: number;
    costMicros?: number;
    durationMs?: number;
    finishReason?: string;
    firstMs?: number;
    model?: string;
    /** Any JSON value. */
    reasoning?: unknown;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
  } | null;
  parts?: Array<{
    fileId?: string;
    mediaType?: string;
    name?: string;
    size?: number;
    text?: string;
    type: string;
  }> | null;
  questionId?: string;
  repliesTo?: string;
  role: "system" | "user" | "assistant" | "tool";
  runId?: string;
  seq: number;
  subAgentId?: string;
  taskId?: string;
  title?: string;
  toolCallId?: string;
  toolCalls?: Array<{
    function: {
      arguments: string;
      name: string;
    };
    id: string;
    providerId?: string;
    signature?: string;
    type: string;
  }> | null;
  type?: "text" | "tool_call" | "tool_result" | "status" | "summary" | "error";
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface MessagePartial {
  payload: PartialPayload;
  type: "text" | "toolRequest" | "toolResponse";
}

export interface MessageThread {
  above?: Array<LinePart> | null;
  added: Array<MessageTurn> | null;
  createdAt: number;
  createdSeq: number;
  id: string;
  lastSenderId?: string;
  parentId: string | null;
  place: string;
  seq: number;
  turnCount: number;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface MessageTurn {
  partials: Array<MessagePartial>;
  senderId: string;
}

export interface Metric {
  at: number;
  createdAt: number;
  createdSeq: number;
  dimensions?: Record<string, string>;
  id: string;
  name: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  value: number;
  version: number;
}

export interface MetricAnswer {
  from: number;
  groupBy: Array<string> | null;
  name: string;
  relativeError: number;
  rows: Array<MetricRow> | null;
  to: number;
  windowMs: number;
}

export interface MetricName {
  dimensions: Array<string> | null;
  name: string;
}

export interface MetricRow {
  end: number;
  group: Record<string, string>;
  start: number;
  values: Record<string, number>;
}

export interface ModelConnection {
  accessFormat: string;
  baseUrl?: string;
  concurrency?: number;
  contextTokens?: number;
  createdAt?: number;
  createdSeq?: number;
  /** Any JSON value. */
  data?: unknown;
  default?: boolean;
  description?: string;
  embeddingModel?: string;
  extraBody?: Record<string, unknown>;
  fallbackId?: string;
  hasSecret: boolean;
  headerNames?: Array<string> | null;
  id?: string;
  modelId: string;
  name: string;
  price?: {
    cachedInput?: number | null;
    input: number;
    output: number;
  } | null;
  providerId?: string;
  readOnly?: boolean;
  retryPolicy?: RetryPolicy;
  seq?: number;
  updatedAt?: number;
  version?: number;
}

export interface ModelConnectionChange {
  accessFormat?: string;
  baseUrl?: string;
  concurrency?: number;
  contextTokens?: number;
  /** Any JSON value. */
  data?: unknown;
  description?: string;
  embeddingModel?: string;
  extraBody?: Record<string, unknown>;
  fallbackId?: string;
  headers?: Record<string, string>;
  modelId?: string;
  name?: string;
  price?: {
    cachedInput?: number | null;
    input: number;
    output: number;
  } | null;
  providerId?: string;
  retryPolicy?: RetryPolicy;
  secret?: string | null;
}

export interface ModelConnectionInput {
  accessFormat: string;
  baseUrl?: string;
  concurrency?: number;
  contextTokens?: number;
  /** Any JSON value. */
  data?: unknown;
  description?: string;
  embeddingModel?: string;
  extraBody?: Record<string, unknown>;
  fallbackId?: string;
  headers?: Record<string, string>;
  modelId?: string;
  name?: string;
  price?: {
    cachedInput?: number | null;
    input: number;
    output: number;
  } | null;
  providerId?: string;
  retryPolicy?: RetryPolicy;
  secret?: string | null;
}

export interface ModelTest {
  error?: ErrorDescription | null;
  ok: boolean;
  report?: {
    cost?: string;
    latencyMs: number;
    model: string;
    text: string;
    usage: {
      cacheWrite?: number;
      cachedInput?: number;
      estimated?: boolean;
      input: number;
      output: number;
      reasoning?: number;
    };
  } | null;
}

export interface NamedSecret {
  name: string;
  updatedAt: number;
}

export interface NewAnswer {
  content: string | Array<Part>;
  id?: string;
  questionId: string;
}

export interface NewChat {
  budget?: Budget | null;
  clientTools?: Array<{
    description?: string;
    name: string;
    /** Any JSON value. */
    parameters?: unknown;
  }> | null;
  id?: string;
  /** Any JSON value. */
  metadata?: unknown;
  modelConnectionId?: string;
  participant?: string;
  projectId?: string;
  systemPrompt?: string;
  title?: string;
}

export interface NewChatThread {
  description?: string;
  id?: string;
  name: string;
  participantId: string;
  threadId: string;
}

export interface NewChatThreadBatch {
  records: Array<NewChatThread>;
}

export interface NewDecision {
  action: "approve" | "deny" | "result" | "fail" | "retry" | "done" | "skip";
  /** Any JSON value. */
  args?: unknown;
  reason?: string;
}

export interface NewFork {
  at?: string;
  before?: string;
  id?: string;
  title?: string;
}

export interface NewKey {
  expiresAt?: number;
  name: string;
  scopes: Array<string>;
}

export interface NewLimit {
  jobs: number;
}

export interface NewMark {
  folder?: string | null;
  pinned?: boolean | null;
  seenAt?: number | null;
}

export interface NewMessage {
  content: string | Array<Part>;
  id?: string;
}

export interface NewMessageThread {
  id?: string;
  turns?: Array<MessageTurn> | null;
}

export interface NewMessageThreadBatch {
  records: Array<NewMessageThread>;
}

export interface NewMetric {
  at?: number;
  dimensions?: Record<string, string>;
  id?: string;
  name: string;
  value: number;
}

export interface NewMetricBatch {
  records: Array<NewMetric>;
}

export interface NewMetricPoint {
  at?: number;
  dimensions?: Record<string, string>;
  name: string;
  value: number;
}

export interface NewMetricPoints {
  points: Array<NewMetricPoint>;
}

export interface NewModelConnection {
  accessFormat: string;
  baseUrl?: string;
  concurrency?: number;
  contextTokens?: number;
  /** Any JSON value. */
  data?: unknown;
  description?: string;
  embeddingModel?: string;
  extraBody?: Record<string, unknown>;
  fallbackId?: string;
  headers?: Record<string, string>;
  id?: string;
  modelId?: string;
  name?: string;
  price?: {
    cachedInput?: number | null;
    input: number;
    output: number;
  } | null;
  providerId?: string;
  retryPolicy?: RetryPolicy;
  secret?: string | null;
}

export interface NewModelConnectionBatch {
  records: Array<NewModelConnection>;
}

export interface NewName {
  name: string;
}

export interface NewPartial {
  partial: MessagePartial;
  senderId: string;
}

export interface NewPassword {
  current: string;
  password: string;
}

export interface NewRole {
  role: "owner" | "member" | "viewer";
}

export interface NewSettings {
  id?: string;
  lastPage?: string;
  theme?: string;
}

export interface NewSettingsBatch {
  records: Array<NewSettings>;
}

export interface NewShare {
  expiresAt?: number;
}

export interface NewTask {
  /** Any JSON value. */
  args?: unknown;
  budget?: Budget | null;
  id?: string;
  instruction?: string;
  name: string;
  report?: boolean | null;
  /** Any JSON value. */
  resultSchema?: unknown;
  title?: string;
  triggerMessageId?: string;
  type?: "agent" | "tool";
}

export interface NewTextDocument {
  content: string;
  id?: string;
  title: string;
  type?: "markdown";
}

export interface NewTextDocumentBatch {
  records: Array<NewTextDocument>;
}

export interface NewToolRun {
  /** Any JSON value. */
  arguments?: unknown;
}

export interface NewUser {
  admin?: boolean;
  email?: string;
  id?: string;
  name?: string;
  password: string;
}

export interface NewVersion {
  content: string;
  title?: string | null;
}

export interface NodeFailure {
  code: string;
  message: string;
  nodeId?: string;
}

export interface NodePort {
  description?: string;
  id: string;
  required?: boolean;
  type: string;
}

export interface NodeResolution {
  attempts: number;
  chatId?: string;
  endTime: number | null;
  error: NodeFailure | null;
  executionId: string;
  inputs: Record<string, unknown>;
  nodeId: string;
  nodeType: string;
  number: number;
  outputs: Record<string, unknown>;
  recorded: boolean;
  retryTime?: number;
  startTime: number;
  status: string;
  tries?: Array<NodeTry> | null;
}

export interface NodeTry {
  chatId?: string;
  error: NodeFailure | null;
  item?: number;
  nextTime: number;
}

export interface NodeType {
  description: string;
  effect: "pure" | "idempotent" | "once";
  id: string;
  inputs: Array<NodePort> | null;
  outputs: Array<NodePort> | null;
  /** Any JSON value. */
  parameters: unknown;
  start?: boolean;
  static?: boolean;
}

export interface OfferedModel {
  contextTokens?: number;
  id: string;
  name?: string;
}

export interface OpenAIAttempt {
  answeredAt?: number;
  createdAt: number;
  createdSeq: number;
  id: string;
  repeated?: number;
  request: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface OpenAIResponse {
  background?: boolean;
  chatId: string;
  createdAt: number;
  createdSeq: number;
  id: string;
  instructions?: string;
  /** Any JSON value. */
  metadata?: unknown;
  model: string;
  next?: string;
  place: {
    also?: Array<{
      from?: string;
      resumes?: number;
      run: string;
      until?: number | null;
      used?: {
        cachedInputTokens?: number;
        estimated?: boolean;
        inputTokens: number;
        outputTokens: number;
        reasoningTokens?: number;
      } | null;
    }> | null;
    from?: string;
    given?: Array<string> | null;
    resumes?: number;
    run: string;
    until?: number | null;
    used?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
  };
  previous?: string;
  seq: number;
  system?: string;
  /** Any JSON value. */
  tools?: unknown;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface OpenAITurn {
  chatId: string;
  createdAt: number;
  createdSeq: number;
  id: string;
  messageId?: string;
  next?: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Order {
  desc?: boolean;
  field: string;
}

export interface Outcome {
  assembled_text: string;
  clarifier: string;
  createdAt: number;
  createdSeq: number;
  daily_capacity_hours?: number | null;
  direction: "increase" | "decrease" | "maintain" | "launch" | "ship";
  id: string;
  metric: string;
  object: string;
  seq: number;
  slot?: "active";
  state_preference?: "Energized" | "Low energy";
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface OutcomeChange {
  clarifier?: string | null;
  daily_capacity_hours?: number | null;
  direction?: string | null;
  is_active?: boolean | null;
  metric?: string | null;
  object?: string | null;
  state_preference?: string | null;
}

export interface OutcomeFields {
  clarifier: string;
  daily_capacity_hours?: number | null;
  direction: string;
  metric: string;
  object: string;
  state_preference?: string;
}

export interface Part {
  fileId?: string;
  mediaType?: string;
  name?: string;
  size?: number;
  text?: string;
  type: string;
}

export interface PartialPayload {
  callId?: string;
  content?: string | null;
  /** Any JSON value. */
  input?: unknown;
  output?: string | null;
  shortId?: string;
  status?: "pending" | "running" | "success" | "failed" | "cancelled";
}

export interface Participant {
  description: string;
  id: string;
  kind: string;
  name: string;
}

export interface PlannableTask {
  agent_task_id?: string;
  chat_id?: string;
  document_id: string;
  document_title: string;
  done: boolean;
  due_date?: string;
  effort_hours: number;
  id: string;
  not_before?: string;
  result?: string;
  status?: string;
  text: string;
}

export interface Point {
  at: number;
  createdAt: number;
  createdSeq: number;
  dimensions?: Record<string, string>;
  id: string;
  name: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  value: number;
  version: number;
}

export interface PrioritizedTaskPlan {
  broken_cycles?: Array<{
    confidence: number;
    detection_method: string;
    relationship_type: string;
    source_task_id: string;
    target_task_id: string;
  }> | null;
  confidence_scores: Record<string, number>;
  dependencies: Array<{
    confidence: number;
    detection_method: string;
    relationship_type: string;
    source_task_id: string;
    target_task_id: string;
  }> | null;
  done?: Array<string> | null;
  execution_waves: Array<{
    estimated_duration_hours: number | null;
    parallel_execution: boolean;
    task_ids: Array<string> | null;
    wave_number: number;
  }> | null;
  ordered_task_ids: Array<string> | null;
  pinned?: Record<string, number>;
  put_last?: Array<string> | null;
  synthesis_summary: string;
}

export interface ProcessedDocument {
  content: string;
  created_at: string;
  error?: string;
  id: string;
  notice?: string;
  source_type: string;
  status: string;
  structured_output: {
    extracted_by: string;
    tasks: Array<{
      done?: boolean;
      due_date?: string;
      effort_hours: number;
      id: string;
      not_before?: string;
      text: string;
    }> | null;
  } | null;
  task_count: number;
  title: string;
  updated_at: string;
  user_id: string;
}

export interface Progress {
  below?: number;
  createdAt: number;
  createdSeq: number;
  ended?: boolean;
  executionId?: string;
  id: string;
  output?: Record<string, unknown>;
  paused?: boolean;
  recorded?: Record<string, Array<number> | null>;
  said?: boolean;
  seq: number;
  state: {
    latched: Record<string, Record<string, {
      port: string;
      resolution: number;
    }>>;
    queue: Array<{
      node: string;
      number: number;
      ports?: Array<string> | null;
      stage?: string;
    }> | null;
    queued: number;
    static: number;
  };
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Project {
  accountId: string;
  budget?: Budget | null;
  createdAt: number;
  createdBy: string;
  createdSeq: number;
  id: string;
  name: string;
  seq: number;
  updatedAt: number;
  version: number;
}

export interface Push {
  configId: string;
  createdAt: number;
  createdSeq: number;
  due?: string;
  host: string;
  id: string;
  seq: number;
  taskId: string;
  told?: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Query {
  collection?: string;
  cursor?: string;
  flat?: string;
  limit?: number;
  orderBy?: Array<Order> | null;
  where?: Filter | null;
}

export interface ReasoningStep {
  duration_ms: number;
  error?: string;
  status?: string;
  step_number: number;
  thought: string | null;
  timestamp: string;
  /** Any JSON value. */
  tool_input: unknown;
  tool_name: string | null;
  /** Any JSON value. */
  tool_output: unknown;
}

export interface ReasoningTrace {
  createdAt: number;
  createdSeq: number;
  id: string;
  seq: number;
  sessionId?: string;
  steps: Array<{
    duration_ms: number;
    error?: string;
    status?: string;
    step_number: number;
    thought: string | null;
    timestamp: string;
    /** Any JSON value. */
    tool_input: unknown;
    tool_name: string | null;
    /** Any JSON value. */
    tool_output: unknown;
  }> | null;
  tools_used_count: Record<string, number>;
  total_duration_ms: number;
  total_steps: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface RecordCount {
  count: number;
}

export interface RecordedPoints {
  recorded: number;
}

export interface Reflection {
  createdAt: number;
  createdSeq: number;
  id: string;
  seq: number;
  text: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface ReflectionFields {
  text: string;
}

export interface Relationship {
  confidence: number;
  created_at: string;
  detection_method: string;
  id: string;
  origin: string;
  reasoning?: string;
  source_task_id: string;
  target_task_id: string;
  type: string;
  updated_at: string;
  user_id: string;
}

export interface RelationshipFields {
  source_task_id: string;
  target_task_id: string;
  type: string;
}

export interface RemoteTask {
  accepted?: boolean;
  attempt?: number;
  chatId?: string;
  contextId?: string;
  createdAt: number;
  createdSeq: number;
  id: string;
  messageId: string;
  sentAfter?: string;
  sentUpTo: string;
  seq: number;
  state?: string;
  subAgentId?: string;
  taskId?: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface ReplicationCheckpoint {
  seq: string;
}

/** A document as RxDB has it. */
export interface ReplicationDocument {
  _deleted: boolean;
  id: string;
  [field: string]: unknown;
}

export interface ReplicationPage {
  checkpoint: ReplicationCheckpoint;
  documents: Array<ReplicationDocument>;
}

export interface ReplicationRow {
  assumedMasterState?: ReplicationState | null;
  newDocumentState: ReplicationState;
}

/** A document as RxDB has it; without _deleted it is there. */
export interface ReplicationState {
  _deleted?: boolean;
  id: string;
  [field: string]: unknown;
}

export interface Resolution {
  attempts?: number;
  begun?: boolean;
  below?: {
    again?: Array<number> | null;
    count: number;
    next: number;
    open?: Array<number> | null;
  } | null;
  chatId?: string;
  createdAt: number;
  createdSeq: number;
  endTime?: number;
  error?: {
    code: string;
    message: string;
    nodeId?: string;
  } | null;
  executionId?: string;
  id: string;
  inputs?: Record<string, unknown>;
  journal?: Array<{
    name: string;
    /** Any JSON value. */
    value?: unknown;
  }> | null;
  nodeId: string;
  nodeType: string;
  number: number;
  outputs?: Record<string, unknown>;
  paused?: boolean;
  recorded?: number;
  retryTime?: number;
  seq: number;
  startTime: number;
  status: "running" | "completed" | "failed" | "cancelled";
  tries?: Array<{
    chatId?: string;
    error: {
      code: string;
      message: string;
      nodeId?: string;
    } | null;
    item?: number;
    nextTime: number;
  }> | null;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Resync {
  reason: string;
}

export interface RetryPolicy {
  /** A duration such as 1.5s. */
  initialBackoff?: string;
  maxAttempts?: number;
  /** A duration such as 1.5s. */
  maxBackoff?: string;
}

export interface Rollup {
  createdAt: number;
  createdSeq: number;
  data: string;
  id: string;
  name: string;
  seq: number;
  start: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Run {
  agents?: number;
  answers?: Array<string> | null;
  beganAt: number;
  by?: string;
  calls?: number;
  cancelledBy?: string;
  chatId?: string;
  costMicros: number;
  createdAt: number;
  createdSeq: number;
  endedAt?: number;
  errors?: Array<string> | null;
  id: string;
  joined?: Array<string> | null;
  joinedTo?: string;
  kind: string;
  models?: Array<string> | null;
  participant?: string;
  reach?: Array<{
    key?: string;
    patterns?: Array<string> | null;
    until?: number;
  }> | null;
  resumes?: number;
  roles?: Array<string> | null;
  root: string;
  seq: number;
  status: "running" | "waiting" | "success" | "failed" | "cancelled";
  tools?: Array<string> | null;
  unsaidCostMicros?: number;
  unsaidModels?: Array<string> | null;
  unsaidUsage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  updatedAt: number;
  usage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  userId?: string;
  version: number;
  waitingFor?: Array<string> | null;
  watched?: boolean;
}

export interface RunEvent {
  agentId?: string;
  /** Any JSON value. */
  args?: unknown;
  callId?: string;
  error?: string;
  message?: {
    answers?: Array<string> | null;
    authorId?: string;
    chatId?: string;
    content: string;
    createdAt?: number;
    createdSeq?: number;
    executionId?: string;
    handedTo?: string;
    id?: string;
    isLlmMessage?: boolean | null;
    metadata?: {
      attempts?: number;
      costMicros?: number;
      durationMs?: number;
      finishReason?: string;
      firstMs?: number;
      model?: string;
      /** Any JSON value. */
      reasoning?: unknown;
      usage?: {
        cachedInputTokens?: number;
        estimated?: boolean;
        inputTokens: number;
        outputTokens: number;
        reasoningTokens?: number;
      } | null;
    } | null;
    parts?: Array<Part> | null;
    questionId?: string;
    repliesTo?: string;
    role: string;
    runId?: string;
    seq?: number;
    subAgentId?: string;
    taskId?: string;
    title?: string;
    toolCallId?: string;
    toolCalls?: Array<{
      function: {
        arguments: string;
        name: string;
      };
      id: string;
      providerId?: string;
      signature?: string;
      type: string;
    }> | null;
    type?: string;
    updatedAt?: number;
    userId?: string;
    version?: number;
  } | null;
  offset?: number;
  path?: string;
  role?: string;
  run?: {
    agents?: number;
    answers?: Array<string> | null;
    beganAt: number;
    by?: string;
    calls?: number;
    cancelledBy?: string;
    chatId?: string;
    costMicros: number;
    createdAt?: number;
    createdSeq?: number;
    endedAt?: number;
    errors?: Array<string> | null;
    id?: string;
    joined?: Array<string> | null;
    joinedTo?: string;
    kind: string;
    models?: Array<string> | null;
    participant?: string;
    reach?: Array<{
      key?: string;
      patterns?: Array<string> | null;
      until?: number;
    }> | null;
    resumes?: number;
    roles?: Array<string> | null;
    root: string;
    seq?: number;
    status: string;
    tools?: Array<string> | null;
    unsaidCostMicros?: number;
    unsaidModels?: Array<string> | null;
    unsaidUsage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    updatedAt?: number;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    userId?: string;
    version?: number;
    waitingFor?: Array<string> | null;
    watched?: boolean;
  } | null;
  runId: string;
  status?: string;
  taskId?: string;
  text?: string;
  tool?: string;
  type: string;
}

export interface RunPrompt {
  id: string;
  messages: Array<{
    calls?: Array<{
      arguments: string;
      name: string;
    }> | null;
    files?: Array<string> | null;
    role: string;
    text?: string;
    tool?: string;
  }> | null;
  system: string;
  tools: Array<string> | null;
}

export interface RunResult {
  messages: Array<{
    answers?: Array<string> | null;
    authorId?: string;
    chatId?: string;
    content: string;
    createdAt?: number;
    createdSeq?: number;
    executionId?: string;
    handedTo?: string;
    id?: string;
    isLlmMessage?: boolean | null;
    metadata?: {
      attempts?: number;
      costMicros?: number;
      durationMs?: number;
      finishReason?: string;
      firstMs?: number;
      model?: string;
      /** Any JSON value. */
      reasoning?: unknown;
      usage?: {
        cachedInputTokens?: number;
        estimated?: boolean;
        inputTokens: number;
        outputTokens: number;
        reasoningTokens?: number;
      } | null;
    } | null;
    parts?: Array<Part> | null;
    questionId?: string;
    repliesTo?: string;
    role: string;
    runId?: string;
    seq?: number;
    subAgentId?: string;
    taskId?: string;
    title?: string;
    toolCallId?: string;
    toolCalls?: Array<{
      function: {
        arguments: string;
        name: string;
      };
      id: string;
      providerId?: string;
      signature?: string;
      type: string;
    }> | null;
    type?: string;
    updatedAt?: number;
    userId?: string;
    version?: number;
  }> | null;
  run: {
    agents?: number;
    answers?: Array<string> | null;
    beganAt: number;
    by?: string;
    calls?: number;
    cancelledBy?: string;
    chatId?: string;
    costMicros: number;
    createdAt?: number;
    createdSeq?: number;
    endedAt?: number;
    errors?: Array<string> | null;
    id?: string;
    joined?: Array<string> | null;
    joinedTo?: string;
    kind: string;
    models?: Array<string> | null;
    participant?: string;
    reach?: Array<{
      key?: string;
      patterns?: Array<string> | null;
      until?: number;
    }> | null;
    resumes?: number;
    roles?: Array<string> | null;
    root: string;
    seq?: number;
    status: string;
    tools?: Array<string> | null;
    unsaidCostMicros?: number;
    unsaidModels?: Array<string> | null;
    unsaidUsage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    updatedAt?: number;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    userId?: string;
    version?: number;
    waitingFor?: Array<string> | null;
    watched?: boolean;
  };
  text: string;
}

export interface RunShare {
  by: string;
  createdAt?: number;
  createdSeq?: number;
  expiresAt?: number;
  id?: string;
  runId: string;
  seq?: number;
  updatedAt?: number;
  userId?: string;
  version?: number;
}

export interface RunStep {
  /** Any JSON value. */
  args?: unknown;
  calls?: Array<{
    arguments: string;
    name: string;
  }> | null;
  decisions?: Array<{
    action: "approve" | "deny" | "result" | "fail" | "retry" | "done" | "skip";
    /** Any JSON value. */
    args?: unknown;
    at: number;
    by: string;
    reason?: string;
  }> | null;
  error?: string;
  files?: Array<string> | null;
  finishReason?: string;
  id: string;
  reasoning?: string;
  result?: string;
  text?: string;
}

export interface RunTree {
  next?: string;
  now: number;
  rows: Array<{
    beganAt?: number;
    costMicros?: number;
    endedAt?: number;
    error?: string;
    firstAt?: number;
    for?: string;
    id: string;
    kind: string;
    label?: string;
    name?: string;
    order: number;
    parent?: string;
    queuedAt?: number;
    retries?: number;
    status: string;
    taskId?: string;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    waits?: Array<{
      for: string;
      from: number;
      to?: number;
    }> | null;
  }> | null;
  run: {
    agents?: number;
    answers?: Array<string> | null;
    beganAt: number;
    by?: string;
    calls?: number;
    cancelledBy?: string;
    chatId?: string;
    costMicros: number;
    createdAt?: number;
    createdSeq?: number;
    endedAt?: number;
    errors?: Array<string> | null;
    id?: string;
    joined?: Array<string> | null;
    joinedTo?: string;
    kind: string;
    models?: Array<string> | null;
    participant?: string;
    reach?: Array<{
      key?: string;
      patterns?: Array<string> | null;
      until?: number;
    }> | null;
    resumes?: number;
    roles?: Array<string> | null;
    root: string;
    seq?: number;
    status: string;
    tools?: Array<string> | null;
    unsaidCostMicros?: number;
    unsaidModels?: Array<string> | null;
    unsaidUsage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    updatedAt?: number;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
    userId?: string;
    version?: number;
    waitingFor?: Array<string> | null;
    watched?: boolean;
  };
  seq: number;
}

export interface RunWaits {
  status: string;
  waits: Array<Wait> | null;
}

export interface SecretValue {
  value: string;
}

export interface ServerRun {
  agents?: number;
  beganAt: number;
  by?: string;
  calls?: number;
  costMicros: number;
  endedAt?: number;
  id: string;
  kind: string;
  models?: Array<string> | null;
  resumes?: number;
  roles?: Array<string> | null;
  status: string;
  tools?: Array<string> | null;
  usage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  userId: string;
}

export interface Session {
  address?: string;
  agent?: string;
  createdAt: number;
  createdSeq: number;
  expiresAt: number;
  id: string;
  refreshedAt: number;
  seq: number;
  updatedAt: number;
  version: number;
}

export interface Settings {
  createdAt: number;
  createdSeq: number;
  id: string;
  lastPage: string;
  seq: number;
  theme: string;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface SettingsChange {
  lastPage?: string | null;
  theme?: string | null;
}

export interface SharedRun {
  by: string;
  createdAt?: number;
  createdSeq?: number;
  expiresAt?: number;
  id?: string;
  runId: string;
  seq?: number;
  token: string;
  updatedAt?: number;
  userId?: string;
  version?: number;
}

export interface ShownAgentGraph {
  createdAt: number;
  description: string;
  edges: Array<GraphEdge> | null;
  id: string;
  maxResolutions: number;
  name: string;
  nodes: Array<GraphNode> | null;
  updatedAt: number;
  userId: string;
  version: number;
  warnings?: Array<GraphProblem> | null;
}

export interface Snapshot {
  chat: Chat;
  messages: Array<Message>;
  subAgents: Array<SubAgent>;
  tasks: Array<Task>;
}

export interface SourceDocument {
  content: string;
  content_at?: number;
  createdAt: number;
  createdSeq: number;
  error?: string;
  id: string;
  notice?: string;
  seq: number;
  source_type: string;
  status?: "queued" | "processing" | "completed" | "failed";
  structured_output?: {
    extracted_by: string;
    tasks: Array<{
      done?: boolean;
      due_date?: string;
      effort_hours: number;
      id: string;
      not_before?: string;
      text: string;
    }> | null;
  } | null;
  title: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface State {
  createdAt: number;
  createdSeq: number;
  daysUntil: number;
  hoursUntil: number;
  id: string;
  names: Record<string, Array<string> | null>;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Steering {
  content: string | Array<Part>;
}

export interface SubAgent {
  askedBy?: Array<string> | null;
  autoAnsweredAfter?: string;
  autoAnswers?: number;
  chatId?: string;
  clientTools?: Array<{
    description?: string;
    name: string;
    /** Any JSON value. */
    parameters?: unknown;
  }> | null;
  costMicros?: number;
  createdAt: number;
  createdSeq: number;
  depth?: number;
  id: string;
  iterationCount: number;
  iterationLimit?: number;
  model?: string;
  modelConnectionId?: string;
  modelMs?: number;
  parentId?: string;
  paused?: boolean | null;
  question?: string;
  questionCallId?: string;
  restarts?: number;
  /** Any JSON value. */
  resultSchema?: unknown;
  role: string;
  runId?: string;
  seenSeq?: number;
  seq: number;
  standing?: boolean;
  status: "active" | "waiting_for_user" | "completed" | "failed" | "cancelled";
  summary?: string;
  taskId: string;
  tool?: string;
  toolCallId?: string;
  unanswered?: Array<string> | null;
  unfit?: number;
  updatedAt: number;
  usage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  userId?: string;
  version: number;
  work?: {
    models?: Array<string> | null;
    replies?: number;
    tools?: Array<string> | null;
  } | null;
}

export interface SubAgentMessage {
  authorId?: string;
  chatId?: string;
  content: string;
  createdAt: number;
  createdSeq: number;
  id: string;
  isError?: boolean | null;
  media?: Array<{
    data: string;
    mimeType: string;
    name?: string;
    uri?: string;
  }> | null;
  metadata?: {
    attempts?: number;
    costMicros?: number;
    durationMs?: number;
    finishReason?: string;
    firstMs?: number;
    model?: string;
    /** Any JSON value. */
    reasoning?: unknown;
    usage?: {
      cachedInputTokens?: number;
      estimated?: boolean;
      inputTokens: number;
      outputTokens: number;
      reasoningTokens?: number;
    } | null;
  } | null;
  name?: string;
  parts?: Array<{
    fileId?: string;
    mediaType?: string;
    name?: string;
    size?: number;
    text?: string;
    type: string;
  }> | null;
  repliesTo?: string;
  role: "system" | "user" | "assistant" | "tool";
  runId?: string;
  seq: number;
  subAgentId?: string;
  toolCallId?: string;
  toolCalls?: Array<{
    function: {
      arguments: string;
      name: string;
    };
    id: string;
    providerId?: string;
    signature?: string;
    type: string;
  }> | null;
  type?: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Task {
  /** Any JSON value. */
  args?: unknown;
  askedBy?: Array<string> | null;
  budget?: {
    costMicros?: number;
    perDay?: {
      costMicros?: number;
      tokens?: number;
    } | null;
    perMonth?: {
      costMicros?: number;
      tokens?: number;
    } | null;
    tokens?: number;
  } | null;
  chatId?: string;
  choices?: Array<string> | null;
  costMicros?: number;
  createdAt: number;
  createdSeq: number;
  deliver?: string;
  depth?: number;
  endedAt?: number;
  error?: string;
  id: string;
  instruction: string;
  name: string;
  outcome?: string;
  parentAgentId?: string;
  parentCallId?: string;
  paused?: boolean;
  question?: string;
  questionId?: string;
  result?: string;
  /** Any JSON value. */
  resultSchema?: unknown;
  runId?: string;
  seq: number;
  standing?: boolean;
  startedAt?: number;
  status: "pending" | "running" | "waiting" | "success" | "failed" | "cancelled";
  steps?: number;
  subAgentId?: string;
  title?: string;
  triggerMessageId?: string;
  type: "agent" | "tool";
  updatedAt: number;
  usage?: {
    cachedInputTokens?: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  } | null;
  userId?: string;
  version: number;
}

export interface TaskEmbedding {
  createdAt: number;
  createdSeq: number;
  documentId?: string;
  id: string;
  model: string;
  seq: number;
  text_hash: string;
  updatedAt: number;
  userId?: string;
  vector: Array<number> | null;
  version: number;
}

export interface TaskProgress {
  agent_task_id?: string;
  chat_id?: string;
  done: boolean;
  result?: string;
  status?: string;
  task_id: string;
}

export interface TaskRelationship {
  confidence: number;
  createdAt: number;
  createdSeq: number;
  detection_method: string;
  id: string;
  origin: "manual" | "detected";
  reasoning?: string;
  seq: number;
  source_task_id: string;
  target_task_id: string;
  type: "prerequisite" | "blocks" | "related";
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface TaskState {
  agent_task_id?: string;
  chat_id?: string;
  createdAt: number;
  createdSeq: number;
  documentId?: string;
  done: boolean;
  id: string;
  result?: string;
  seq: number;
  status?: string;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface TextDocument {
  content: string;
  createdAt: number;
  createdSeq: number;
  firstId: string;
  id: string;
  nextId: string | null;
  number: number;
  previousId: string | null;
  seq: number;
  title: string;
  type?: "markdown";
  updatedAt: number;
  userId: string;
  version: number;
  writtenBy?: DocumentAuthor | null;
}

export interface TextDocumentChange {
  content?: string | null;
  title?: string | null;
}

export interface TextSummary {
  characters: number;
  createdAt: number;
  excerpt: string;
  firstId: string;
  id: string;
  number: number;
  title: string;
  updatedAt: number;
  writtenBy?: DocumentAuthor | null;
}

export interface ThreadBranch {
  chatId?: string;
  createdAt: number;
  createdSeq: number;
  goesOnIn: string;
  id: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface ThreadTurn {
  createdAt: number;
  id: string;
  partials: Array<MessagePartial> | null;
  senderId: string;
  updatedAt: number;
}

export interface Tool {
  description: string;
  effect: "pure" | "idempotent" | "once";
  name: string;
  needs?: string;
  needsApproval: boolean;
  /** Any JSON value. */
  parameters: unknown;
  source: string;
}

export interface ToolCall {
  /** Any JSON value. */
  args?: unknown;
  askedBy?: Array<string> | null;
  chatId?: string;
  client?: boolean;
  createdAt: number;
  createdSeq: number;
  decisions?: Array<{
    action: string;
    /** Any JSON value. */
    args?: unknown;
    at: number;
    by: string;
    reason?: string;
  }> | null;
  durationMs?: number;
  effect?: string;
  endsTask?: boolean;
  error?: string;
  held?: boolean;
  id: string;
  messageId?: string;
  next?: string;
  result?: string;
  runId?: string;
  sent?: {
    arguments: string;
    name: string;
  } | null;
  seq: number;
  startedAt?: number;
  status: "pending" | "awaiting_approval" | "running" | "success" | "failed" | "skipped" | "unknown" | "cancelled";
  subAgentId?: string;
  taskId?: string;
  toolName: string;
  untold?: boolean;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface ToolRun {
  code?: ErrorCode;
  durationMs: number;
  error?: string;
  media?: Array<{
    data: string;
    mimeType: string;
    name?: string;
    uri?: string;
  }> | null;
  output?: string;
  status: "success" | "failed";
  truncated?: boolean;
}

export interface Trace {
  created_at: string;
  session_id: string;
  steps: Array<ReasoningStep> | null;
  tools_used_count: Record<string, number>;
  total_duration_ms: number;
  total_steps: number;
}

export interface Trigger {
  action: string;
  coalesce?: boolean;
  collection: string;
  condition?: string;
  enabled?: boolean | null;
  errors: number;
  events?: Array<"create" | "update" | "delete"> | null;
  fired: number;
  headers?: Record<string, string>;
  id: string;
  includeBefore?: boolean;
  key?: string;
  lastError?: string;
  lastFired?: number;
  retryPolicy?: RetryPolicy;
  secret?: string;
  /** A duration such as 1.5s. */
  timeout?: string;
}

export interface TriggerSwitch {
  enabled: boolean;
}

export interface UsageDay {
  cachedInputTokens?: number;
  calls: number;
  costMicros: number;
  createdAt?: number;
  createdSeq?: number;
  estimated?: boolean;
  id?: string;
  inputTokens: number;
  models: Record<string, {
    cachedInputTokens?: number;
    calls: number;
    costMicros: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  }>;
  outputTokens: number;
  reasoningTokens?: number;
  seq?: number;
  updatedAt?: number;
  version?: number;
}

export interface UsageList {
  budgets: Array<{
    budget: Budget;
    left: {
      costMicros?: number | null;
      perDay?: {
        costMicros?: number | null;
        tokens?: number | null;
      } | null;
      perMonth?: {
        costMicros?: number | null;
        tokens?: number | null;
      } | null;
      tokens?: number | null;
    };
    path: string;
    reserved: {
      costMicros?: number;
      tokens?: number;
    };
    used: Budget;
  }> | null;
  disk: Array<{
    limit: number;
    of: string;
    used: number;
  }> | null;
  items: Array<UsageDay> | null;
  next?: string;
}

export interface UsageReport {
  from: string;
  groupBy: Array<string> | null;
  rows: Array<{
    cachedInputTokens?: number;
    calls: number;
    costMicros: number;
    estimated?: boolean;
    group: Record<string, string>;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  }> | null;
  to: string;
  total: {
    cachedInputTokens?: number;
    calls: number;
    costMicros: number;
    estimated?: boolean;
    inputTokens: number;
    outputTokens: number;
    reasoningTokens?: number;
  };
}

export interface User {
  admin: boolean;
  createdAt: number;
  createdSeq: number;
  disabled: boolean;
  email?: string;
  id: string;
  name: string;
  seq: number;
  updatedAt: number;
  version: number;
}

export interface UserChange {
  admin?: boolean | null;
  disabled?: boolean | null;
  password?: string | null;
}

export interface UserOutcome {
  assembled_text: string;
  clarifier: string;
  created_at: string;
  daily_capacity_hours: number | null;
  direction: string;
  id: string;
  is_active: boolean;
  metric: string;
  object: string;
  state_preference: string | null;
  updated_at: string;
  user_id: string;
}

export interface VectorSet {
  createdAt: number;
  createdSeq: number;
  failed_at?: number;
  failed_model?: string;
  id: string;
  model: string;
  note?: string;
  seq: number;
  updatedAt: number;
  userId?: string;
  version: number;
}

export interface Wait {
  ahead?: number;
  attempt?: number;
  callId?: string;
  code: string;
  error?: string;
  helper?: boolean;
  model?: string;
  role?: string;
  since?: number;
  stage?: string;
  subAgentId?: string;
  taskId?: string;
  text: string;
  tool?: string;
  trigger?: string;
  until?: number;
}

export interface WeighedReflection {
  created_at: string;
  id: string;
  text: string;
  updated_at: string;
  user_id: string;
  weight: number;
}

export interface WholeThread {
  above?: Array<LinePart> | null;
  added: Array<MessageTurn> | null;
  createdAt: number;
  createdSeq: number;
  id: string;
  lastSenderId?: string;
  parentId: string | null;
  place: string;
  seq: number;
  turnCount: number;
  turns: Array<ThreadTurn> | null;
  updatedAt: number;
  userId: string;
  version: number;
}

export interface Words {
  drop?: boolean;
  reasoning?: string;
  restart?: boolean;
  text?: string;
}

export interface Written {
  path: string;
  version?: number;
}

/** Every call of the API. */
export abstract class Api extends Transport {
  /** The accounts that the caller has a part in. The role of the caller is in the members of each. */
  listAccounts(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Account>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/accounts", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make an account that can have members. The caller becomes its owner, and invites others by giving them a role. */
  createAccount(body: NewName, options: Call = {}): Promise<Account> {
    return this.send("POST", "/api/v1/accounts", { body, signal: options.signal });
  }

  /** An account. Its members and their roles are in it. For everybody else there is no such account. */
  getAccount(account: string, options: Call = {}): Promise<Account> {
    return this.send("GET", `/api/v1/accounts/${encodeURIComponent(account)}`, { signal: options.signal });
  }

  /** Rename an account, or set its budget. The budget bounds all chats of the account together; null removes it. */
  patchAccount(account: string, body: Changes, options: Call = {}): Promise<Account> {
    return this.send("PATCH", `/api/v1/accounts/${encodeURIComponent(account)}`, { body, signal: options.signal });
  }

  /** The invitations to an account that wait for an answer. An invitation is good for 14 days, and a new one takes its place. */
  listAccountInvitations(account: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Invitation>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/accounts/${encodeURIComponent(account)}/invitations`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Withdraw an invitation. The invited user does not find it any more. A new one can be sent at any time. */
  deleteInvitation(account: string, user: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/accounts/${encodeURIComponent(account)}/invitations/${encodeURIComponent(user)}`, { signal: options.signal });
  }

  /** Have the limit of all accounts hold for this one, too. Jobs that waited for the account's own limit go on as far as the other one lets them. */
  deleteAccountLimit(account: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/accounts/${encodeURIComponent(account)}/limit`, { signal: options.signal });
  }

  /** How many jobs in the chats of an account run at once. An account without a limit of its own has that with which the server was started. */
  getAccountLimit(account: string, options: Call = {}): Promise<AccountLimit> {
    return this.send("GET", `/api/v1/accounts/${encodeURIComponent(account)}/limit`, { signal: options.signal });
  }

  /** Limit how many jobs in the chats of an account run at once. It holds over all nodes together. Jobs beyond it wait, and the list of jobs says that they do. */
  putAccountLimit(account: string, body: NewLimit, options: Call = {}): Promise<AccountLimit> {
    return this.send("PUT", `/api/v1/accounts/${encodeURIComponent(account)}/limit`, { body, signal: options.signal });
  }

  /** Take a user's role in an account. Only owners do, and one owner always stays. What the user began in the account stays there. */
  deleteMember(account: string, user: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/accounts/${encodeURIComponent(account)}/members/${encodeURIComponent(user)}`, { signal: options.signal });
  }

  /** Give a member of an account another role, or invite a user who is none. The role of a member changes at once (200). Anybody else finds an invitation, good for 14 days, and sees nothing of the account until they accept (202). */
  putMember(account: string, user: string, body: NewRole, options: Call = {}): Promise<Account> {
    return this.send("PUT", `/api/v1/accounts/${encodeURIComponent(account)}/members/${encodeURIComponent(user)}`, { body, signal: options.signal });
  }

  /** The projects of an account. A project groups chats of the account, and can have a budget of its own. */
  listProjects(account: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Project>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/accounts/${encodeURIComponent(account)}/projects`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Add a project to an account. Chats are put into it when they begin, by their projectId. */
  createProject(account: string, body: NewName, options: Call = {}): Promise<Project> {
    return this.send("POST", `/api/v1/accounts/${encodeURIComponent(account)}/projects`, { body, signal: options.signal });
  }

  /** Begin to order the caller's tasks. The answer comes before the plan, which the session's events tell. One analysis of a user runs at a time. */
  prioritize(body: AnalysisRequest, options: Call = {}): Promise<BegunAnalysis> {
    return this.send("POST", "/api/v1/agent/prioritize", { body, signal: options.signal });
  }

  /** The caller's analyses of the last 7 days, newest first, without their plans. An analysis is deleted 7 days after its last change. */
  listAnalyses(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<AnalysisSummary>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/agent/sessions", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** The analysis whose plan is current; without one, the one under way, or the last that failed. Another one that runs is named by running_session_id. */
  latestAnalysis(options: Call = {}): Promise<LatestAnalysis> {
    return this.send("GET", "/api/v1/agent/sessions/latest", { signal: options.signal });
  }

  /** An analysis with its plan. While it runs, doing is the step that was decided on and has not ended. */
  getAnalysis(session: string, options: Call = {}): Promise<Analysis> {
    return this.send("GET", `/api/v1/agent/sessions/${encodeURIComponent(session)}`, { signal: options.signal });
  }

  /** Stop an analysis. The model call under way is stopped, on whichever node. The analysis is failed, and the current plan stays. */
  cancelAnalysis(session: string, options: Call = {}): Promise<Analysis> {
    return this.send("POST", `/api/v1/agent/sessions/${encodeURIComponent(session)}/cancel`, { signal: options.signal });
  }

  /** What an analysis does, as it does it. It begins with what there is: steps that have ended, the plan, the status. With follow it stays open after the end. */
  followAnalysis(session: string, options: Call & { follow?: string; from?: string } = {}): AsyncGenerator<ServerEvent<"plan", PrioritizedTaskPlan> | ServerEvent<"resync", Resync> | ServerEvent<"status", AnalysisStatus> | ServerEvent<"step_began", ReasoningStep> | ServerEvent<"step_ended", ReasoningStep> | ServerEvent<"task", TaskProgress>, void, void> {
    return this.stream(`/api/v1/agent/sessions/${encodeURIComponent(session)}/events`, { query: { follow: options.follow, from: options.from }, signal: options.signal });
  }

  /** Move, pin, order tasks and mark them done; the waves are computed again. Only the current plan can be changed. Notices tell where a task could not go as was asked. */
  changePlan(session: string, body: Edit, options: Call = {}): Promise<EditedPlan> {
    return this.send("PATCH", `/api/v1/agent/sessions/${encodeURIComponent(session)}/plan`, { body, signal: options.signal });
  }

  /** How an analysis reasoned, step by step. Each step has its thought, the tool with input and output, its duration and its status. */
  getReasoningTrace(session: string, options: Call = {}): Promise<Trace> {
    return this.send("GET", `/api/v1/agent/sessions/${encodeURIComponent(session)}/trace`, { signal: options.signal });
  }

  /** Give the tasks of a wave to agents. A chat is made with one agent for each task that no agent works on yet. A task is done when the caller says so, whatever its agent came to. */
  runWave(session: string, wave: string, options: Call = {}): Promise<HandedWave> {
    return this.send("POST", `/api/v1/agent/sessions/${encodeURIComponent(session)}/waves/${encodeURIComponent(wave)}/run`, { signal: options.signal });
  }

  /** Write several documents, all or none. At most 100 operations are carried out in their order, in one transaction. A request with an Idempotency-Key is answered again for a day. */
  batch(body: Batch, options: Call & { idempotencyKey?: string } = {}): Promise<BatchAnswer> {
    return this.send("POST", "/api/v1/batch", { body, headers: { "Idempotency-Key": options.idempotencyKey }, signal: options.signal });
  }

  /** The chats of the caller. They are the chats of one user. Those that others share with the caller are found with user, or by project. */
  listChats(options: Call & { limit?: number; cursor?: string; order?: "created" | "updated"; user?: string } = {}): Promise<{
    items: Array<Chat>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/chats", { query: { limit: options.limit, cursor: options.cursor, order: options.order, user: options.user }, signal: options.signal });
  }

  /** Begin a chat. All fields may be left out: then the orchestrator answers, with the caller's default model connection. A repeated id with the same fields answers with the chat that is there. */
  createChat(body?: NewChat, options: Call & { user?: string; idempotencyKey?: string } = {}): Promise<Chat> {
    return this.send("POST", "/api/v1/chats", { body, query: { user: options.user }, headers: { "Idempotency-Key": options.idempotencyKey }, signal: options.signal });
  }

  /** Delete a chat with everything in it. What goes on in the chat is stopped first. Forks of it keep the messages that they share. */
  deleteChat(chat: string, options: Call & { user?: string; ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/chats/${encodeURIComponent(chat)}`, { query: { user: options.user }, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A chat. It has the chat's settings and what it has used; messages, tasks and agents have lists of their own. */
  getChat(chat: string, options: Call & { user?: string } = {}): Promise<Chat> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}`, { query: { user: options.user }, signal: options.signal });
  }

  /** Change a chat. Fields that are left out stay, and null removes one. What concerns the participant counts from the next message on. */
  patchChat(chat: string, body: ChatPatch, options: Call & { user?: string; ifMatch?: string } = {}): Promise<Chat> {
    return this.send("PATCH", `/api/v1/chats/${encodeURIComponent(chat)}`, { body, query: { user: options.user }, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** What happens in a chat, live. Changes are documents that were written, deltas are words of messages that are not written yet. After resync the client reads the chat again. */
  chatEvents(chat: string, options: Call & { from?: string; snapshot?: "0" | "1"; user?: string } = {}): AsyncGenerator<ServerEvent<"change", ChangeEvent> | ServerEvent<"delta", DeltaEvent> | ServerEvent<"resync", Resync> | ServerEvent<"snapshot", Snapshot>, void, void> {
    return this.stream(`/api/v1/chats/${encodeURIComponent(chat)}/events`, { query: { from: options.from, snapshot: options.snapshot, user: options.user }, signal: options.signal });
  }

  /** A chat as a file. The file has what the caller may read of the chat, word for word, and is sent while it is written. */
  exportChat(chat: string, options: Call & { format?: string; agents?: string; user?: string; range?: string } = {}): Promise<Blob> {
    return this.read("GET", `/api/v1/chats/${encodeURIComponent(chat)}/export`, { query: { format: options.format, agents: options.agents, user: options.user }, headers: { "Range": options.range }, signal: options.signal });
  }

  /** The bytes of a file that messages of a chat name. It is for whoever may read the chat: files of others are read only through the chats that have them. */
  readChatFile(chat: string, file: string, options: Call & { user?: string; range?: string } = {}): Promise<Blob> {
    return this.read("GET", `/api/v1/chats/${encodeURIComponent(chat)}/files/${encodeURIComponent(file)}`, { query: { user: options.user }, headers: { "Range": options.range }, signal: options.signal });
  }

  /** Begin a chat that goes on from a message of this one. The fork shares the messages up to at, or those before before; without either up to the last one. Nothing is copied, and what is said in the first chat later does not show in it. */
  forkChat(chat: string, body?: NewFork, options: Call & { user?: string; idempotencyKey?: string } = {}): Promise<Chat> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/fork`, { body, query: { user: options.user }, headers: { "Idempotency-Key": options.idempotencyKey }, signal: options.signal });
  }

  /** Pin a chat, put it into a folder, or say how far it was seen, for oneself. Nobody else sees it, also where several people share the chat. What is left out stays, and seenAt only ever rises. */
  markChat(chat: string, body: NewMark, options: Call & { user?: string } = {}): Promise<ChatMark> {
    return this.send("PATCH", `/api/v1/chats/${encodeURIComponent(chat)}/mark`, { body, query: { user: options.user }, signal: options.signal });
  }

  /** The messages of a chat, oldest first. A fork begins with what it shares with the chat that it came from. Each message says in chatId where it was said. */
  listMessages(chat: string, options: Call & { limit?: number; cursor?: string; part?: "all" | "own" | "shared"; user?: string } = {}): Promise<{
    items: Array<Message>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/messages`, { query: { limit: options.limit, cursor: options.cursor, part: options.part, user: options.user }, signal: options.signal });
  }

  /** Say something; the participant of the chat answers. The answer comes later, as messages and events of the chat, unless the call waits for it. Content is a text, or parts that name uploaded files. */
  say(chat: string, body: NewMessage, options?: Call & { wait?: "0"; user?: string; idempotencyKey?: string }): Promise<Message>;
  say(chat: string, body: NewMessage, options: Call & { wait: "1"; user?: string; idempotencyKey?: string }): Promise<RunResult>;
  say(chat: string, body: NewMessage, options: Call & { wait?: "0" | "1"; user?: string; idempotencyKey?: string } = {}): Promise<Message | RunResult> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/messages`, { body, query: { wait: options.wait, user: options.user }, headers: { "Idempotency-Key": options.idempotencyKey }, signal: options.signal });
  }

  /** End the answer that is under way and all tasks of the chat. Model calls and tools are interrupted, on whichever node they run. What was said until then stays. */
  stopChat(chat: string, options: Call & { user?: string } = {}): Promise<void> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/stop`, { query: { user: options.user }, signal: options.signal });
  }

  /** The sub-agents of a chat, oldest first. Each has its role, its status, the task that it works on and what it has used. */
  listSubAgents(chat: string, options: Call & { limit?: number; cursor?: string; user?: string } = {}): Promise<{
    items: Array<SubAgent>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/sub-agents`, { query: { limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** What was said inside an agent, oldest first. It is the conversation that the agent's model is shown: instructions, what it was told, its replies, and the results of its tools. */
  listSubAgentMessages(chat: string, agent: string, options: Call & { limit?: number; cursor?: string; user?: string } = {}): Promise<{
    items: Array<SubAgentMessage>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/sub-agents/${encodeURIComponent(agent)}/messages`, { query: { limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** The tool calls of an agent, oldest first. Each has its arguments, its status and its result. One that waits for a person is ended by a decision. */
  listToolCalls(chat: string, agent: string, options: Call & { limit?: number; cursor?: string; user?: string } = {}): Promise<{
    items: Array<ToolCall>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/sub-agents/${encodeURIComponent(agent)}/tool-calls`, { query: { limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** Decide about a tool call that waits for a person. A call that needs approval takes approve, with other arguments if they are sent, or deny. One of a client's tool takes result or fail, and one of which nobody knows whether it had its effect retry, done or skip. */
  decide(chat: string, agent: string, call: string, body: NewDecision, options: Call & { user?: string } = {}): Promise<ToolCall> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/sub-agents/${encodeURIComponent(agent)}/tool-calls/${encodeURIComponent(call)}/decision`, { body, query: { user: options.user }, signal: options.signal });
  }

  /** The tasks of a chat, oldest first. Each has its status, the sub-agent that works on it, and what came of it: its result, its question, or why it failed. */
  listTasks(chat: string, options: Call & { limit?: number; cursor?: string; user?: string } = {}): Promise<{
    items: Array<Task>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/tasks`, { query: { limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** Run a sub-agent or call a tool directly. The name is agent:ROLE or tool:NAME. A tool gets args, or the instruction; a call that makes no sense is refused. */
  startTask(chat: string, body: NewTask, options?: Call & { wait?: "0"; user?: string; idempotencyKey?: string }): Promise<Task>;
  startTask(chat: string, body: NewTask, options: Call & { wait: "1"; user?: string; idempotencyKey?: string }): Promise<RunResult>;
  startTask(chat: string, body: NewTask, options: Call & { wait?: "0" | "1"; user?: string; idempotencyKey?: string } = {}): Promise<Task | RunResult> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks`, { body, query: { wait: options.wait, user: options.user }, headers: { "Idempotency-Key": options.idempotencyKey }, signal: options.signal });
  }

  /** Answer the question of a task's agent, and of no other. The chat is told the question and the answer, too. If somebody else was faster, or the agent asks something else by now, nothing is said and the call is a conflict. */
  answerTask(chat: string, task: string, body: NewAnswer, options: Call & { user?: string; idempotencyKey?: string } = {}): Promise<Message> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/answer`, { body, query: { user: options.user }, headers: { "Idempotency-Key": options.idempotencyKey }, signal: options.signal });
  }

  /** End a task and everything under it. Model calls and tools under way are interrupted within about a second, on whichever node they run. */
  cancelTask(chat: string, task: string, options: Call & { user?: string } = {}): Promise<Task> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/cancel`, { query: { user: options.user }, signal: options.signal });
  }

  /** Tell a task's agent something. The agent is shown it at its next step, also when it was about to finish. An agent that has asked takes it for the answer. */
  steerTask(chat: string, task: string, body: Steering, options: Call & { user?: string } = {}): Promise<SubAgentMessage> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/messages`, { body, query: { user: options.user }, signal: options.signal });
  }

  /** Let a task's agent rest after the step it is in. The model call and the tools of the step come to their end first. A task that is the call of a tool has one step, so nothing changes for it. */
  pauseTask(chat: string, task: string, options: Call & { user?: string } = {}): Promise<Task> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/pause`, { query: { user: options.user }, signal: options.signal });
  }

  /** Let a paused agent go on. The agent goes on after the step at which it rested, and is shown what it was told meanwhile. */
  resumeTask(chat: string, task: string, options: Call & { user?: string } = {}): Promise<Task> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/resume`, { query: { user: options.user }, signal: options.signal });
  }

  /** Let a failed task go on from its last good step. Steps that succeeded are not made again. A task that is the call of a tool makes its call again. */
  retryTask(chat: string, task: string, options: Call & { user?: string } = {}): Promise<Task> {
    return this.send("POST", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/retry`, { query: { user: options.user }, signal: options.signal });
  }

  /** The conversation of the agent that carries out a task as a thread, up to a message. The agent's instructions are no part of it. A task that is the call of a tool is that call and what came of it. */
  getTaskAsThread(chat: string, task: string, options: Call & { at?: string; user?: string } = {}): Promise<Conversation> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/tasks/${encodeURIComponent(task)}/thread`, { query: { at: options.at, user: options.user }, signal: options.signal });
  }

  /** The conversation of a chat as a thread, up to a message. People are named by their ids and models by their roles. Notices, errors and summaries are no part of it. */
  getChatAsThread(chat: string, options: Call & { at?: string; user?: string } = {}): Promise<Conversation> {
    return this.send("GET", `/api/v1/chats/${encodeURIComponent(chat)}/thread`, { query: { at: options.at, user: options.user }, signal: options.signal });
  }

  /** Delete a document and everything below it. What goes on in a chat is stopped before it is deleted. */
  deleteDocument(path: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/docs/${this.encodePath(path)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A document. Whatever the caller may not read is answered as if it were not there. */
  getDocument(path: string, options: Call = {}): Promise<Document> {
    return this.send("GET", `/api/v1/docs/${this.encodePath(path)}`, { signal: options.signal });
  }

  /** Change fields of a document; null removes one. Fields that are left out stay. What comes of it is checked as a whole document is. */
  patchDocument(path: string, body: Record<string, unknown>, options: Call & { ifMatch?: string } = {}): Promise<Document> {
    return this.send("PATCH", `/api/v1/docs/${this.encodePath(path)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Write a document. The body is the whole document: fields that it lacks are removed. A document of a kind that the server knows is checked against the schema of its kind. */
  putDocument(path: string, body: Record<string, unknown>, options: Call & { ifMatch?: string } = {}): Promise<Document> {
    return this.send("PUT", `/api/v1/docs/${this.encodePath(path)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** The caller's documents without their content, newest first. The status says how far the search for tasks has come. */
  listDocuments(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<DocumentSummary>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/documents", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Add a text, or a file (.md, .txt, .docx, .pdf), whose tasks are then found. The tasks are found by a job, so the answer has the status queued. The text may have 512 KiB, a file 10 MiB. */
  addDocument(body: DocumentFields, options: Call & { filename?: string } = {}): Promise<ProcessedDocument> {
    return this.send("POST", "/api/v1/documents", { body, query: { filename: options.filename }, signal: options.signal });
  }

  /** Delete a document with its tasks and their relationships. They leave the current plan, which is computed again. */
  deleteProcessedDocument(document: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/documents/${encodeURIComponent(document)}`, { signal: options.signal });
  }

  /** A document with its content and tasks. A document that failed says in error why, and notice says by what rules tasks were found if no model found them. */
  getProcessedDocument(document: string, options: Call = {}): Promise<ProcessedDocument> {
    return this.send("GET", `/api/v1/documents/${encodeURIComponent(document)}`, { signal: options.signal });
  }

  /** Change a document; new content is processed again. A title alone changes nothing about the tasks. */
  updateDocument(document: string, body: DocumentChange, options: Call = {}): Promise<ProcessedDocument> {
    return this.send("PATCH", `/api/v1/documents/${encodeURIComponent(document)}`, { body, signal: options.signal });
  }

  /** Replace the content of a document, which is processed again. Tasks whose text is the same keep their ids, and with them what is known about them. */
  replaceDocument(document: string, body: DocumentFields, options: Call & { filename?: string } = {}): Promise<ProcessedDocument> {
    return this.send("PUT", `/api/v1/documents/${encodeURIComponent(document)}`, { body, query: { filename: options.filename }, signal: options.signal });
  }

  /** Show what is being said in a message before it is written. Whoever follows the chat sees it at once. The message itself takes the draft's place when it is written; drop ends a draft of which nothing will come. */
  sayInDraft(path: string, body: Words, options: Call = {}): Promise<void> {
    return this.send("POST", `/api/v1/drafts/${this.encodePath(path)}`, { body, signal: options.signal });
  }

  /** The caller's files, oldest first. Each says how many chats have it in their messages, and whether it is used at all. */
  listFiles(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<File>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/files", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Upload a file, which messages can then name; the same bytes are stored once. The file is the body itself, of whatever Content-Type, or the first file of a form. Its bytes decide what it is. */
  uploadFile(file: Blob, options: Call & { filename?: string } = {}): Promise<File> {
    return this.send("POST", "/api/v1/files", { file, query: { filename: options.filename }, signal: options.signal });
  }

  /** Delete a file that no message names. One that messages name goes with the last of them, and one that no message names goes by itself after a day, unless the server was told otherwise. */
  deleteFile(file: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/files/${encodeURIComponent(file)}`, { signal: options.signal });
  }

  /** What is known of a file of the caller's. The id of a file is the SHA-256 of its bytes, in hexadecimal. */
  getFile(file: string, options: Call = {}): Promise<File> {
    return this.send("GET", `/api/v1/files/${encodeURIComponent(file)}`, { signal: options.signal });
  }

  /** The bytes of a file of the caller's. Images and recordings may be shown by a browser, all else is for saving. Ranges and ETags work as for any file. */
  readFile(file: string, options: Call & { range?: string } = {}): Promise<Blob> {
    return this.read("GET", `/api/v1/files/${encodeURIComponent(file)}/content`, { headers: { "Range": options.range }, signal: options.signal });
  }

  /** Graphs to begin with; each can be saved and run as it is. They run with the demo model, too, so each can be tried before there is a key. */
  listGraphTemplates(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<GraphTemplate>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/graph_templates", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** The accounts that the caller is invited to. Until it is accepted, the caller sees nothing else of the account. */
  listInvitations(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Invitation>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/invitations", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Do not take part in an account. The invitation is gone, and an owner can send a new one. */
  declineInvitation(account: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/invitations/${encodeURIComponent(account)}`, { signal: options.signal });
  }

  /** Take part in an account. From then on the caller has the role of the invitation in all chats of the account. */
  acceptInvitation(account: string, options: Call = {}): Promise<void> {
    return this.send("POST", `/api/v1/invitations/${encodeURIComponent(account)}/accept`, { signal: options.signal });
  }

  /** Jobs that wait or run; dead letters with state=dead. A job that is ready and waits for a limit says which one in waitsFor. */
  listJobs(options: Call & { limit?: number; cursor?: string; state?: "ready" | "running" | "blocked" | "dead"; trigger?: string; userId?: string } = {}): Promise<{
    items: Array<Job>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/jobs", { query: { limit: options.limit, cursor: options.cursor, state: options.state, trigger: options.trigger, userId: options.userId }, signal: options.signal });
  }

  /** Delete a dead letter. The change that caused it stays; what the job was to do is never done. */
  discardJob(id: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/jobs/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Queue a dead letter again. It begins with its first attempt again, after the other jobs of its key. */
  retryJob(id: string, options: Call = {}): Promise<{
    queued: boolean;
  }> {
    return this.send("POST", `/api/v1/jobs/${encodeURIComponent(id)}/retry`, { signal: options.signal });
  }

  /** The API keys of a user. A key itself is never shown again: a hint says how it ends. */
  listKeys(options: Call & { limit?: number; cursor?: string; user?: string } = {}): Promise<{
    items: Array<APIKey>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/keys", { query: { limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** Make an API key, which only this answer shows. Scopes have one of read, write and admin, and patterns of paths if the key is for some documents only. Administrators make none for others. */
  createKey(body: NewKey, options: Call & { user?: string } = {}): Promise<MadeKey> {
    return this.send("POST", "/api/v1/keys", { body, query: { user: options.user }, signal: options.signal });
  }

  /** Revoke an API key. It stops working at once, on other nodes within a second. Tools of the runs that it began fail from then on. */
  deleteKey(id: string, options: Call & { user?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/keys/${encodeURIComponent(id)}`, { query: { user: options.user }, signal: options.signal });
  }

  /** Begin a session in a browser; its cookies come with the answer. Scripts cannot read the cookies. A token in place of login and password is NESTOR_TOKEN, by which whoever runs the server signs in. */
  login(body: Credentials, options: Call = {}): Promise<Login> {
    return this.send("POST", "/api/v1/login", { body, signal: options.signal });
  }

  /** End the session of the cookies. Either cookie is enough, so it works after the first one has expired, too. */
  logout(options: Call = {}): Promise<void> {
    return this.send("POST", "/api/v1/logout", { signal: options.signal });
  }

  /** Who the caller is. The kind tells how the caller showed who they are, such as by a session or a key. */
  getMe(options: Call = {}): Promise<Me> {
    return this.send("GET", "/api/v1/me", { signal: options.signal });
  }

  /** Change the caller's own password; all their other sessions end. A caller with a session gets new cookies (200), any other no content. API keys go on working. */
  putPassword(body: NewPassword, options: Call = {}): Promise<Login | void> {
    return this.send("PUT", "/api/v1/me/password", { body, signal: options.signal });
  }

  /** The caller's metrics, with their dimensions. Those of the runtime are among them, as far as they are about the caller. */
  listMetricNames(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<MetricName>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/metrics/names", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Record many points, which count and are no documents. At most 1,000 points are recorded in one write, all or none. If one of them is wrong, details.index says which. */
  addMetricPoints(body: NewMetricPoints, options: Call = {}): Promise<RecordedPoints> {
    return this.send("POST", "/api/v1/metrics/points", { body, signal: options.signal });
  }

  /** What the caller's points of a metric add up to, by window and group. Count, least and greatest value are exact, percentiles within 1%. Windows without points are left out. */
  queryMetrics(options: Call & { name: string; where?: Array<string>; groupBy?: Array<string>; window?: string; agg?: Array<string>; from?: string; to?: string }): Promise<MetricAnswer> {
    return this.send("GET", "/api/v1/metrics/query", { query: { name: options.name, where: options.where, groupBy: options.groupBy, window: options.window, agg: options.agg, from: options.from, to: options.to }, signal: options.signal });
  }

  /** The metrics that the runtime records, with their dimensions. What users record themselves is not among them. */
  listServerMetricNames(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<MetricName>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/metrics/server/names", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** What the runtime's points of all users add up to. They are told apart by user, and not by chat. What users record themselves is not in them. */
  queryServerMetrics(options: Call & { name: string; where?: Array<string>; groupBy?: Array<string>; window?: string; agg?: Array<string>; from?: string; to?: string }): Promise<MetricAnswer> {
    return this.send("GET", "/api/v1/metrics/server/query", { query: { name: options.name, where: options.where, groupBy: options.groupBy, window: options.window, agg: options.agg, from: options.from, to: options.to }, signal: options.signal });
  }

  /** The model connections. The one of the environment is read-only, and exactly one of all is the default. Secrets are never shown: hasSecret says whether there is one. */
  listModels(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<ModelConnection>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/models", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a real call to a model as it would be saved, and save nothing; with the id of a connection, secrets that are left out are its own. What saving would refuse is refused. The call itself is that of a test of a saved connection. */
  testUnsavedModel(body: NewModelConnection, options: Call = {}): Promise<ModelTest> {
    return this.send("POST", "/api/v1/models/test", { body, signal: options.signal });
  }

  /** Delete a model connection. Its secret goes, too. If it was the default, that of the environment is again. */
  deleteModel(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/models/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Write a model connection. A secret that is left out stays as long as accessFormat and baseUrl do, and an empty one removes it. */
  putModel(id: string, body: ModelConnectionInput, options: Call & { ifMatch?: string } = {}): Promise<ModelConnection> {
    return this.send("PUT", `/api/v1/models/${encodeURIComponent(id)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Call a model connection wherever the caller names none. The id default chooses the connection of the environment again. */
  makeModelDefault(id: string, options: Call = {}): Promise<ModelConnection> {
    return this.send("POST", `/api/v1/models/${encodeURIComponent(id)}/default`, { signal: options.signal });
  }

  /** The models that the provider of a connection offers. The provider is asked while the caller waits, with the connection's own secret. */
  listOfferedModels(id: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<OfferedModel>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/models/${encodeURIComponent(id)}/models`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a real call to a model. The call is made without retries and fallback, within 30 seconds, and counts as used by the caller. A failure is an answer with ok false, which says which field to look at. */
  testModel(id: string, options: Call = {}): Promise<ModelTest> {
    return this.send("POST", `/api/v1/models/${encodeURIComponent(id)}/test`, { signal: options.signal });
  }

  /** What nodes a graph can have. Each has its inputs and outputs with their types, and a JSON Schema of its parameters. */
  listNodeTypes(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<NodeType>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/node_types", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** This document. It is made from the routes of the running server, so the modules of a program are in it, too. */
  describe(options: Call = {}): Promise<Record<string, unknown>> {
    return this.send("GET", "/api/v1/openapi.json", { signal: options.signal });
  }

  /** The caller's outcomes, newest first. At most one of them is active. */
  listOutcomes(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<UserOutcome>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/outcomes", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make an outcome the active one. The outcome that was active before stays and is not active any more. */
  createOutcome(body: OutcomeFields, options: Call = {}): Promise<UserOutcome> {
    return this.send("POST", "/api/v1/outcomes", { body, signal: options.signal });
  }

  /** The outcome that plans are made for. Its assembled_text puts its parts into one sentence. */
  getActiveOutcome(options: Call = {}): Promise<UserOutcome> {
    return this.send("GET", "/api/v1/outcomes/active", { signal: options.signal });
  }

  /** Delete an outcome. The analyses that were made for it go, too. */
  deleteOutcome(outcome: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/outcomes/${encodeURIComponent(outcome)}`, { signal: options.signal });
  }

  /** An outcome. Its assembled_text puts its parts into one sentence. */
  getOutcome(outcome: string, options: Call = {}): Promise<UserOutcome> {
    return this.send("GET", `/api/v1/outcomes/${encodeURIComponent(outcome)}`, { signal: options.signal });
  }

  /** Change an outcome, or make it the active one. Fields that are left out stay. An empty state_preference, or a capacity of 0, takes these away. */
  updateOutcome(outcome: string, body: OutcomeChange, options: Call = {}): Promise<UserOutcome> {
    return this.send("PATCH", `/api/v1/outcomes/${encodeURIComponent(outcome)}`, { body, signal: options.signal });
  }

  /** Whom the caller's chats can talk to. A chat takes the id of one as its participant: the orchestrator, an agent of a role, the model of a connection, or a graph. */
  listParticipants(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Participant>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/participants", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Delete a project without chats. One with chats in it is refused, and so is the one that every personal account has. */
  deleteProject(project: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/projects/${encodeURIComponent(project)}`, { signal: options.signal });
  }

  /** Rename a project, or set its budget. The budget bounds all chats of the project together; null removes it. */
  patchProject(project: string, body: Changes, options: Call = {}): Promise<Project> {
    return this.send("PATCH", `/api/v1/projects/${encodeURIComponent(project)}`, { body, signal: options.signal });
  }

  /** The chats in a project, whoever's they are. Each says in userId whose it is, which all calls about chats take as user. */
  listProjectChats(project: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Chat>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/projects/${encodeURIComponent(project)}/chats`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Find documents. It asks one collection by its path, or all documents of a kind by the kind's flat name, and finds what the caller may read. */
  query(body: Query, options: Call = {}): Promise<{
    items: Array<Document>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("POST", "/api/v1/query", { body, signal: options.signal });
  }

  /** The caller's executions, newest first, without their graphs and values. Executions are kept for 30 days. */
  listAgentGraphExecutions(options: Call & { limit?: number; cursor?: string; agentGraphId?: string; status?: string; rerunOf?: string; parentExecutionId?: string; from?: string; to?: string } = {}): Promise<{
    items: Array<GraphExecutionSummary>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/agent_graph_executions", { query: { limit: options.limit, cursor: options.cursor, agentGraphId: options.agentGraphId, status: options.status, rerunOf: options.rerunOf, parentExecutionId: options.parentExecutionId, from: options.from, to: options.to }, signal: options.signal });
  }

  /** How many executions the caller has. What narrows the list narrows the count. */
  countAgentGraphExecutions(options: Call & { agentGraphId?: string; status?: string; rerunOf?: string; parentExecutionId?: string; from?: string; to?: string } = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/agent_graph_executions/count", { query: { agentGraphId: options.agentGraphId, status: options.status, rerunOf: options.rerunOf, parentExecutionId: options.parentExecutionId, from: options.from, to: options.to }, signal: options.signal });
  }

  /** What becomes of the caller's executions, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followAgentGraphExecutions(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", GraphExecutionSummary> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", GraphExecutionSummary>, void, void> {
    return this.stream("/api/v1/records/agent_graph_executions/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Delete an execution with all that it left, and stop it if it runs. Executions below it go, too. */
  deleteAgentGraphExecution(execution: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}`, { signal: options.signal });
  }

  /** An execution with its graph, input and output. An execution that failed says in error which node failed, and why. */
  getAgentGraphExecution(execution: string, options: Call = {}): Promise<GraphExecution> {
    return this.send("GET", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}`, { signal: options.signal });
  }

  /** Stop an execution and the nodes that run. Executions and agents below it are stopped, too. */
  cancelAgentGraphExecution(execution: string, options: Call = {}): Promise<GraphExecution> {
    return this.send("POST", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/cancel`, { signal: options.signal });
  }

  /** How an execution differs from another one, node by node. For each node it has the turns in both, with status and times, and the inputs and outputs that differ. */
  compareAgentGraphExecutions(execution: string, options: Call & { to: string }): Promise<GraphComparison> {
    return this.send("GET", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/compare`, { query: { to: options.to }, signal: options.signal });
  }

  /** What an execution does, as it does it. It begins with what happened until now. The last event is the end of the execution. */
  followAgentGraphExecution(execution: string, options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"execution_began", GraphExecutionSummary> | ServerEvent<"execution_cancelled", GraphExecution> | ServerEvent<"execution_completed", GraphExecution> | ServerEvent<"execution_deleted", GraphExecutionSummary> | ServerEvent<"execution_failed", GraphExecution> | ServerEvent<"execution_paused", GraphExecutionSummary> | ServerEvent<"execution_resumed", GraphExecutionSummary> | ServerEvent<"node_began", NodeResolution> | ServerEvent<"node_cancelled", NodeResolution> | ServerEvent<"node_completed", NodeResolution> | ServerEvent<"node_delegated", NodeResolution> | ServerEvent<"node_failed", NodeResolution> | ServerEvent<"node_retried", NodeResolution> | ServerEvent<"resync", Resync>, void, void> {
    return this.stream(`/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/events`, { query: { from: options.from }, signal: options.signal });
  }

  /** Give no node a turn, and let agents rest, until the execution is resumed. A node that runs goes on to the end of its turn. */
  pauseAgentGraphExecution(execution: string, options: Call = {}): Promise<GraphExecution> {
    return this.send("POST", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/pause`, { signal: options.signal });
  }

  /** Run an execution again from a node on, with the recorded values of the rest. The node defaults to the one that failed. The graph is the recorded one, or the current one if it fits what was recorded. */
  rerunAgentGraphExecution(execution: string, body?: GraphRerunRequest, options: Call = {}): Promise<GraphExecution> {
    return this.send("POST", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/rerun`, { body, signal: options.signal });
  }

  /** What each node was given and gave, turn by turn. A resolution is one turn of a node, with its inputs, its outputs, its times and the attempts that failed. */
  listAgentGraphResolutions(execution: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<NodeResolution>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/resolutions`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Let a paused execution go on. Nodes that wait get their turns, and agents go on after the step at which they rested. */
  resumeAgentGraphExecution(execution: string, options: Call = {}): Promise<GraphExecution> {
    return this.send("POST", `/api/v1/records/agent_graph_executions/${encodeURIComponent(execution)}/resume`, { signal: options.signal });
  }

  /** The caller's graphs, newest first. Warnings are told with a single graph only. */
  listAgentGraphs(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<ShownAgentGraph>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/agent_graphs", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Save a new graph. A graph with errors is refused, and details.problems has all of them. A node without a position lies at the origin. */
  createAgentGraph(body: AgentGraphFields, options: Call = {}): Promise<ShownAgentGraph> {
    return this.send("POST", "/api/v1/records/agent_graphs", { body, signal: options.signal });
  }

  /** Save several new graphs, all or none. At most 100 are saved. If one of them is wrong, details.index says which. */
  createManyAgentGraphs(body: AgentGraphBatch, options: Call = {}): Promise<{
    items: Array<ShownAgentGraph>;
  }> {
    return this.send("POST", "/api/v1/records/agent_graphs/batch", { body, signal: options.signal });
  }

  /** How many graphs the caller has. Templates are not counted. */
  countAgentGraphs(options: Call = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/agent_graphs/count", { signal: options.signal });
  }

  /** What becomes of the caller's graphs, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followAgentGraphs(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", ShownAgentGraph> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", ShownAgentGraph>, void, void> {
    return this.stream("/api/v1/records/agent_graphs/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Find all that is wrong with a graph. Errors keep a graph from being saved, warnings do not. Each names the node or the edge, and has a code. */
  validateAgentGraph(body: GraphInput, options: Call & { id?: string } = {}): Promise<GraphReport> {
    return this.send("POST", "/api/v1/records/agent_graphs/validate", { body, query: { id: options.id }, signal: options.signal });
  }

  /** Delete a graph; its executions stay. Executions that run go on: each has the graph as it was when it began. */
  deleteAgentGraph(graph: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/agent_graphs/${encodeURIComponent(graph)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A graph. It has the warnings that a check of it gives. */
  getAgentGraph(graph: string, options: Call = {}): Promise<ShownAgentGraph> {
    return this.send("GET", `/api/v1/records/agent_graphs/${encodeURIComponent(graph)}`, { signal: options.signal });
  }

  /** Change a graph; nodes and edges are replaced as a whole. What is left out stays. Nodes and edges that are the same as before keep their times. */
  updateAgentGraph(graph: string, body: AgentGraphChange, options: Call & { ifMatch?: string } = {}): Promise<ShownAgentGraph> {
    return this.send("PATCH", `/api/v1/records/agent_graphs/${encodeURIComponent(graph)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Make a copy of a graph. It has an id of its own, or that of the body. Executions are not copied. */
  cloneAgentGraph(graph: string, body?: CloneRequest, options: Call = {}): Promise<ShownAgentGraph> {
    return this.send("POST", `/api/v1/records/agent_graphs/${encodeURIComponent(graph)}/clone`, { body, signal: options.signal });
  }

  /** Begin an execution of a graph. The answer comes before the nodes have run. Later changes of the graph are not seen by the execution. */
  executeAgentGraph(graph: string, body: GraphExecutionRequest, options: Call = {}): Promise<GraphExecution> {
    return this.send("POST", `/api/v1/records/agent_graphs/${encodeURIComponent(graph)}/executions`, { body, signal: options.signal });
  }

  /** The caller's chat threads, oldest first. They are the caller's own, also for an administrator. */
  listChatThreads(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<ChatThread>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/chat_threads", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a chat thread; an id that is taken is a conflict. Without an id the server makes one. */
  createChatThread(body: NewChatThread, options: Call = {}): Promise<ChatThread> {
    return this.send("POST", "/api/v1/records/chat_threads", { body, signal: options.signal });
  }

  /** Make several chat threads, all or none. At most 100 are made. If one of them is wrong, details.index says which. */
  createManyChatThreads(body: NewChatThreadBatch, options: Call = {}): Promise<{
    items: Array<ChatThread>;
  }> {
    return this.send("POST", "/api/v1/records/chat_threads/batch", { body, signal: options.signal });
  }

  /** How many chat threads the caller has. The database counts them, so it takes no longer if there are many. */
  countChatThreads(options: Call = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/chat_threads/count", { signal: options.signal });
  }

  /** What becomes of the caller's chat threads, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followChatThreads(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", ChatThread> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", ChatThread>, void, void> {
    return this.stream("/api/v1/records/chat_threads/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Delete a chat thread. With If-Match it goes only if nobody has changed it since that version. */
  deleteChatThread(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/chat_threads/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A chat thread. That of somebody else is answered as if it were not there. */
  getChatThread(id: string, options: Call = {}): Promise<ChatThread> {
    return this.send("GET", `/api/v1/records/chat_threads/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Change fields of a chat thread. Fields that are left out stay. The thread must be there, and the participant one that the caller can talk to. */
  updateChatThread(id: string, body: ChatThreadChange, options: Call & { ifMatch?: string } = {}): Promise<ChatThread> {
    return this.send("PATCH", `/api/v1/records/chat_threads/${encodeURIComponent(id)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Make a copy of a chat thread. The copy has an id of its own, or that of the body. */
  cloneChatThread(id: string, body?: CloneRequest, options: Call = {}): Promise<ChatThread> {
    return this.send("POST", `/api/v1/records/chat_threads/${encodeURIComponent(id)}/clone`, { body, signal: options.signal });
  }

  /** The caller's message threads, each with what it adds to its parent, oldest first. They are the caller's own, also for an administrator. */
  listMessageThreads(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<MessageThread>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/message_threads", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a message thread; an id that is taken is a conflict. Without an id the server makes one. */
  createMessageThread(body: NewMessageThread, options: Call = {}): Promise<MessageThread> {
    return this.send("POST", "/api/v1/records/message_threads", { body, signal: options.signal });
  }

  /** Make several message threads, all or none. At most 100 are made. If one of them is wrong, details.index says which. */
  createManyMessageThreads(body: NewMessageThreadBatch, options: Call = {}): Promise<{
    items: Array<MessageThread>;
  }> {
    return this.send("POST", "/api/v1/records/message_threads/batch", { body, signal: options.signal });
  }

  /** How many message threads the caller has. The database counts them, so it takes no longer if there are many. */
  countMessageThreads(options: Call = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/message_threads/count", { signal: options.signal });
  }

  /** What becomes of the caller's message threads, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followMessageThreads(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", MessageThread> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", MessageThread>, void, void> {
    return this.stream("/api/v1/records/message_threads/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Delete a message thread. One that others continue is refused: they would lack what they share with it. */
  deleteMessageThread(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/message_threads/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A message thread. That of somebody else is answered as if it were not there. */
  getMessageThread(id: string, options: Call & { last?: string } = {}): Promise<WholeThread> {
    return this.send("GET", `/api/v1/records/message_threads/${encodeURIComponent(id)}`, { query: { last: options.last }, signal: options.signal });
  }

  /** Make a copy of a message thread. The copy has an id of its own, or that of the body. */
  cloneMessageThread(id: string, body?: CloneRequest, options: Call = {}): Promise<MessageThread> {
    return this.send("POST", `/api/v1/records/message_threads/${encodeURIComponent(id)}/clone`, { body, signal: options.signal });
  }

  /** Make the thread that has one more piece; the one that is added to stays as it is. It goes into the last turn if that is of the same sender, else into a new one. Whoever adds to the same thread again makes a fork, so it never conflicts. */
  addPartial(id: string, body: NewPartial, options: Call = {}): Promise<MessageThread> {
    return this.send("POST", `/api/v1/records/message_threads/${encodeURIComponent(id)}/partials`, { body, signal: options.signal });
  }

  /** The caller's points of metrics, oldest first. They are the caller's own, also for an administrator. */
  listMetrics(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Metric>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/metrics", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a metric's point; an id that is taken is a conflict. Without an id the server makes one. */
  createMetric(body: NewMetric, options: Call = {}): Promise<Metric> {
    return this.send("POST", "/api/v1/records/metrics", { body, signal: options.signal });
  }

  /** Make several points of metrics, all or none. At most 100 are made. If one of them is wrong, details.index says which. */
  createManyMetrics(body: NewMetricBatch, options: Call = {}): Promise<{
    items: Array<Metric>;
  }> {
    return this.send("POST", "/api/v1/records/metrics/batch", { body, signal: options.signal });
  }

  /** How many points of metrics the caller has. The database counts them, so it takes no longer if there are many. */
  countMetrics(options: Call = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/metrics/count", { signal: options.signal });
  }

  /** What becomes of the caller's points of metrics, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followMetrics(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", Metric> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", Metric>, void, void> {
    return this.stream("/api/v1/records/metrics/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Delete a metric's point. It is not taken out of the sums that queries answer with. */
  deleteMetric(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/metrics/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A metric's point. That of somebody else is answered as if it were not there. */
  getMetric(id: string, options: Call = {}): Promise<Metric> {
    return this.send("GET", `/api/v1/records/metrics/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Make a copy of a metric's point. The copy has an id of its own, or that of the body. */
  cloneMetric(id: string, body?: CloneRequest, options: Call = {}): Promise<Metric> {
    return this.send("POST", `/api/v1/records/metrics/${encodeURIComponent(id)}/clone`, { body, signal: options.signal });
  }

  /** The caller's own model connections, oldest first, without their secrets. The connection of the environment is no record, so it is not among them. */
  listModelConnections(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<ModelConnection>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/model_connections", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a model connection; an id that is taken is a conflict. Without an id the server makes one. The secret and the headers are sealed and never shown again. */
  createModelConnection(body: NewModelConnection, options: Call = {}): Promise<ModelConnection> {
    return this.send("POST", "/api/v1/records/model_connections", { body, signal: options.signal });
  }

  /** Make several model connections, all or none. At most 100 are made. If one of them is wrong, details.index says which. */
  createManyModelConnections(body: NewModelConnectionBatch, options: Call = {}): Promise<{
    items: Array<ModelConnection>;
  }> {
    return this.send("POST", "/api/v1/records/model_connections/batch", { body, signal: options.signal });
  }

  /** How many model connections the caller has. The connection of the environment is not counted. */
  countModelConnections(options: Call = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/model_connections/count", { signal: options.signal });
  }

  /** What becomes of the caller's model connections, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followModelConnections(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", ModelConnection> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", ModelConnection>, void, void> {
    return this.stream("/api/v1/records/model_connections/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Delete a model connection and its secrets. If it was the default, that of the environment is again. */
  deleteModelConnection(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/model_connections/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A model connection, without its secrets. hasSecret and headerNames say what secrets there are. */
  getModelConnection(id: string, options: Call = {}): Promise<ModelConnection> {
    return this.send("GET", `/api/v1/records/model_connections/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Change fields of a model connection; its secrets stay unless they are sent. Fields that are left out stay, the secret and the headers among them. */
  updateModelConnection(id: string, body: ModelConnectionChange, options: Call & { ifMatch?: string } = {}): Promise<ModelConnection> {
    return this.send("PATCH", `/api/v1/records/model_connections/${encodeURIComponent(id)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Make a copy of a model connection with its secrets, which stay on the server. It has an id of its own, or that of the body. */
  cloneModelConnection(id: string, body?: CloneRequest, options: Call = {}): Promise<ModelConnection> {
    return this.send("POST", `/api/v1/records/model_connections/${encodeURIComponent(id)}/clone`, { body, signal: options.signal });
  }

  /** The caller's settings, oldest first. They are the caller's own, also for an administrator. */
  listSettings(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Settings>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/settings", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make settings; an id that is taken is a conflict. Without an id the server makes one. */
  createSettings(body: NewSettings, options: Call = {}): Promise<Settings> {
    return this.send("POST", "/api/v1/records/settings", { body, signal: options.signal });
  }

  /** Make several settings, all or none. At most 100 are made. If one of them is wrong, details.index says which. */
  createManySettings(body: NewSettingsBatch, options: Call = {}): Promise<{
    items: Array<Settings>;
  }> {
    return this.send("POST", "/api/v1/records/settings/batch", { body, signal: options.signal });
  }

  /** How many settings the caller has. The database counts them, so it takes no longer if there are many. */
  countSettings(options: Call = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/settings/count", { signal: options.signal });
  }

  /** What becomes of the caller's settings, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followSettings(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", Settings> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", Settings>, void, void> {
    return this.stream("/api/v1/records/settings/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** Delete settings. With If-Match it goes only if nobody has changed it since that version. */
  deleteSettings(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/settings/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Settings. That of somebody else is answered as if it were not there. */
  getSettings(id: string, options: Call = {}): Promise<Settings> {
    return this.send("GET", `/api/v1/records/settings/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Change fields of settings. Fields that are left out stay. The web UI keeps its own under the id default. */
  updateSettings(id: string, body: SettingsChange, options: Call & { ifMatch?: string } = {}): Promise<Settings> {
    return this.send("PATCH", `/api/v1/records/settings/${encodeURIComponent(id)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Make a copy of settings. The copy has an id of its own, or that of the body. */
  cloneSettings(id: string, body?: CloneRequest, options: Call = {}): Promise<Settings> {
    return this.send("POST", `/api/v1/records/settings/${encodeURIComponent(id)}/clone`, { body, signal: options.signal });
  }

  /** The caller's text documents, each version by itself, oldest first. They are the caller's own, also for an administrator. */
  listTextDocuments(options: Call & { limit?: number; cursor?: string; current?: string } = {}): Promise<{
    items: Array<TextDocument>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/text_documents", { query: { limit: options.limit, cursor: options.cursor, current: options.current }, signal: options.signal });
  }

  /** Make a text document; an id that is taken is a conflict. Without an id the server makes one. */
  createTextDocument(body: NewTextDocument, options: Call = {}): Promise<TextDocument> {
    return this.send("POST", "/api/v1/records/text_documents", { body, signal: options.signal });
  }

  /** Make several text documents, all or none. At most 100 are made. If one of them is wrong, details.index says which. */
  createManyTextDocuments(body: NewTextDocumentBatch, options: Call = {}): Promise<{
    items: Array<TextDocument>;
  }> {
    return this.send("POST", "/api/v1/records/text_documents/batch", { body, signal: options.signal });
  }

  /** How many text documents the caller has. The database counts them, so it takes no longer if there are many. */
  countTextDocuments(options: Call & { current?: string } = {}): Promise<RecordCount> {
    return this.send("GET", "/api/v1/records/text_documents/count", { query: { current: options.current }, signal: options.signal });
  }

  /** What becomes of the caller's text documents, as it happens. It tells what happens from now on. To miss nothing, open it first and list then. */
  followTextDocuments(options: Call & { from?: string } = {}): AsyncGenerator<ServerEvent<"created", TextDocument> | ServerEvent<"deleted", DeletedRecord> | ServerEvent<"resync", Resync> | ServerEvent<"updated", TextDocument>, void, void> {
    return this.stream("/api/v1/records/text_documents/stream", { query: { from: options.from }, signal: options.signal });
  }

  /** The last version of each text document, newest first, without its content. All words must occur in the title or the content, in any case. A page may be short and still have a next one. */
  searchTextDocuments(options: Call & { limit?: number; cursor?: string; q?: string } = {}): Promise<{
    items: Array<TextSummary>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/records/text_documents/summaries", { query: { limit: options.limit, cursor: options.cursor, q: options.q }, signal: options.signal });
  }

  /** Delete a text document. The last version goes with all that are older. An older one alone is refused. */
  deleteTextDocument(id: string, options: Call & { ifMatch?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/records/text_documents/${encodeURIComponent(id)}`, { headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** A text document. That of somebody else is answered as if it were not there. */
  getTextDocument(id: string, options: Call = {}): Promise<TextDocument> {
    return this.send("GET", `/api/v1/records/text_documents/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Change fields of a text document. Fields that are left out stay. So a title alone renames it, and makes no version. Old versions never change. */
  updateTextDocument(id: string, body: TextDocumentChange, options: Call & { ifMatch?: string } = {}): Promise<TextDocument> {
    return this.send("PATCH", `/api/v1/records/text_documents/${encodeURIComponent(id)}`, { body, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }

  /** Make a copy of a text document. The copy has an id of its own, or that of the body. */
  cloneTextDocument(id: string, body?: CloneRequest, options: Call = {}): Promise<TextDocument> {
    return this.send("POST", `/api/v1/records/text_documents/${encodeURIComponent(id)}/clone`, { body, signal: options.signal });
  }

  /** How two text documents, or two versions of one, differ. The difference is in the unified format. Where more than 2,000 lines differ, all between the common beginning and end is told as replaced. */
  diffTextDocuments(id: string, options: Call & { to: string }): Promise<Difference> {
    return this.send("GET", `/api/v1/records/text_documents/${encodeURIComponent(id)}/diff`, { query: { to: options.to }, signal: options.signal });
  }

  /** How a text that is not stored differs from a text document; nothing is written. The difference is in the unified format, from the stored text to the one in the body. */
  diffTextDocument(id: string, body: ComparedText, options: Call = {}): Promise<Difference> {
    return this.send("POST", `/api/v1/records/text_documents/${encodeURIComponent(id)}/diff`, { body, signal: options.signal });
  }

  /** All versions of a text document, last to first, without their contents. The id is that of any version, or of the first one even if that is gone. It is what a list of versions needs. */
  listTextDocumentHistory(id: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<TextSummary>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/records/text_documents/${encodeURIComponent(id)}/history`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a last version with the title and content of an old one. The versions in between stay. Who saves at the same moment does not make it fail. */
  restoreTextDocument(id: string, options: Call = {}): Promise<TextDocument> {
    return this.send("POST", `/api/v1/records/text_documents/${encodeURIComponent(id)}/restore`, { signal: options.signal });
  }

  /** All versions of a text document, first to last. The id is that of any version. Each has its number, and the ids of the versions before and after it. */
  listTextDocumentVersions(id: string, options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<TextDocument>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/records/text_documents/${encodeURIComponent(id)}/versions`, { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make the version that follows the last one. Without a title that of the version before stays. If there is a later version already the call is a conflict, and details.newestId names that one. */
  saveTextDocumentVersion(id: string, body: NewVersion, options: Call = {}): Promise<TextDocument> {
    return this.send("POST", `/api/v1/records/text_documents/${encodeURIComponent(id)}/versions`, { body, signal: options.signal });
  }

  /** What was noted, newest first, with what it counts by now. The weight says how much the next analysis goes by it. */
  listReflections(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<WeighedReflection>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/reflections", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Note something for the next analysis. It counts fully for 7 days, half up to 14, and a quarter after that. */
  addReflection(body: ReflectionFields, options: Call = {}): Promise<WeighedReflection> {
    return this.send("POST", "/api/v1/reflections", { body, signal: options.signal });
  }

  /** Delete a reflection. The next analysis does not see it. */
  deleteReflection(reflection: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/reflections/${encodeURIComponent(reflection)}`, { signal: options.signal });
  }

  /** Go on with the session of the refresh cookie. The cookie is good once. For 20 seconds it is answered with the same cookies again; used after that it ends the session, since somebody has a copy. */
  refresh(options: Call = {}): Promise<Login> {
    return this.send("POST", "/api/v1/refresh", { signal: options.signal });
  }

  /** How tasks depend on each other. A source depends on its target. The detection method says how that became known. */
  listRelationships(options: Call & { task_id?: string; limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Relationship>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/relationships", { query: { task_id: options.task_id, limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Say that a task depends on another. What a person says about two tasks counts more than what a model finds out about them. */
  createRelationship(body: RelationshipFields, options: Call = {}): Promise<Relationship> {
    return this.send("POST", "/api/v1/relationships", { body, signal: options.signal });
  }

  /** Delete a relationship. The current plan is computed again without it. */
  deleteRelationship(relationship: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/relationships/${encodeURIComponent(relationship)}`, { signal: options.signal });
  }

  /** The RxDB schema of every flat collection, by its name. A client makes its RxDB collections of them. */
  listReplicationSchemas(options: Call = {}): Promise<Record<string, Record<string, unknown>>> {
    return this.send("GET", "/api/v1/replication/schemas", { signal: options.signal });
  }

  /** Documents after a checkpoint, deleted ones included. Documents come in the order in which they changed; the next page begins at the checkpoint of the answer. With 410 the log does not reach back so far, and the client begins with an empty copy. */
  pull(flat: string, options: Call & { limit?: number; checkpoint?: string; userId?: string; chatId?: string; subAgentId?: string; collection?: string; documentId?: string; sessionId?: string; executionId?: string } = {}): Promise<ReplicationPage> {
    return this.send("GET", `/api/v1/replication/${encodeURIComponent(flat)}/pull`, { query: { limit: options.limit, checkpoint: options.checkpoint, userId: options.userId, chatId: options.chatId, subAgentId: options.subAgentId, collection: options.collection, documentId: options.documentId, sessionId: options.sessionId, executionId: options.executionId }, signal: options.signal });
  }

  /** Write documents; the answer is the master of those that were not accepted, and the header Nestor-Refused says why. Each row is judged by itself, and is written if the master still is the state that the client assumed. */
  push(flat: string, body: Array<ReplicationRow>, options: Call & { userId?: string; chatId?: string; subAgentId?: string; collection?: string; documentId?: string; sessionId?: string; executionId?: string } = {}): Promise<Array<ReplicationDocument>> {
    return this.send("POST", `/api/v1/replication/${encodeURIComponent(flat)}/push`, { body, query: { userId: options.userId, chatId: options.chatId, subAgentId: options.subAgentId, collection: options.collection, documentId: options.documentId, sessionId: options.sessionId, executionId: options.executionId }, signal: options.signal });
  }

  /** Runs, newest first. Each says in about what began it, as far as the caller may read that. A page may be empty and yet have a next one where role, model or tool narrow it. */
  listRuns(options: Call & { limit?: number; cursor?: string; status?: string; kind?: string; chatId?: string; by?: string; role?: string; model?: string; tool?: string; minCostMicros?: string; from?: string; to?: string; user?: string } = {}): Promise<{
    items: Array<ListedRun>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/runs", { query: { limit: options.limit, cursor: options.cursor, status: options.status, kind: options.kind, chatId: options.chatId, by: options.by, role: options.role, model: options.model, tool: options.tool, minCostMicros: options.minCostMicros, from: options.from, to: options.to, user: options.user }, signal: options.signal });
  }

  /** A run and what came of it. The texts of its answers are in it as far as the caller may read them. */
  getRun(id: string, options: Call & { wait?: "0" | "1"; user?: string } = {}): Promise<RunResult> {
    return this.send("GET", `/api/v1/runs/${encodeURIComponent(id)}`, { query: { wait: options.wait, user: options.user }, signal: options.signal });
  }

  /** End everything that a run has under way. Its agents, tools and executions are stopped. What was said until then stays. */
  cancelRun(id: string, options: Call & { user?: string } = {}): Promise<RunResult> {
    return this.send("POST", `/api/v1/runs/${encodeURIComponent(id)}/cancel`, { query: { user: options.user }, signal: options.signal });
  }

  /** What happens in a run, from its begin to its end. It begins with what happened until now, and ends with the run. After Last-Event-ID nothing is told twice. */
  followRun(id: string, options: Call & { user?: string; from?: string } = {}): AsyncGenerator<ServerEvent<"agent_began", RunEvent> | ServerEvent<"agent_ended", RunEvent> | ServerEvent<"approval", RunEvent> | ServerEvent<"client_call", RunEvent> | ServerEvent<"message", RunEvent> | ServerEvent<"question", RunEvent> | ServerEvent<"reasoning", RunEvent> | ServerEvent<"restarted", RunEvent> | ServerEvent<"resync", Resync> | ServerEvent<"run_began", RunEvent> | ServerEvent<"run_ended", RunEvent> | ServerEvent<"run_waits", RunEvent> | ServerEvent<"text", RunEvent> | ServerEvent<"tool_began", RunEvent> | ServerEvent<"tool_ended", RunEvent>, void, void> {
    return this.stream(`/api/v1/runs/${encodeURIComponent(id)}/events`, { query: { user: options.user, from: options.from }, signal: options.signal });
  }

  /** What a model was asked for a row of a run, made again from the documents of then. It is not stored: instructions that were changed since are told as they are now. */
  getRunPrompt(id: string, options: Call & { row: string; user?: string }): Promise<RunPrompt> {
    return this.send("GET", `/api/v1/runs/${encodeURIComponent(id)}/prompt`, { query: { row: options.row, user: options.user }, signal: options.signal });
  }

  /** The links to a run. Each says who made it and when it ends. The token itself is told once, when the link is made. */
  listRunShares(id: string, options: Call & { user?: string; limit?: number; cursor?: string } = {}): Promise<{
    items: Array<RunShare>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", `/api/v1/runs/${encodeURIComponent(id)}/shares`, { query: { user: options.user, limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Make a link that shows a run to anyone who has it. The link shows the tree and its steps, and no prompts. It counts only as long as the one who made it may read the run. */
  shareRun(id: string, body: NewShare, options: Call & { user?: string } = {}): Promise<SharedRun> {
    return this.send("POST", `/api/v1/runs/${encodeURIComponent(id)}/shares`, { body, query: { user: options.user }, signal: options.signal });
  }

  /** End a link to a run. It stops working at once. */
  revokeRunShare(id: string, share: string, options: Call & { user?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/runs/${encodeURIComponent(id)}/shares/${encodeURIComponent(share)}`, { query: { user: options.user }, signal: options.signal });
  }

  /** What there is to know of a row of a run. It has the texts, arguments and results that the row of the tree leaves out. */
  getRunStep(id: string, options: Call & { row: string; user?: string }): Promise<RunStep> {
    return this.send("GET", `/api/v1/runs/${encodeURIComponent(id)}/step`, { query: { row: options.row, user: options.user }, signal: options.signal });
  }

  /** Everything that happened in a run, as rows of a tree. A run of many agents comes in pages, and since asks for the rows that changed since a tree was read. */
  getRunTree(id: string, options: Call & { cursor?: string; since?: string; user?: string } = {}): Promise<RunTree> {
    return this.send("GET", `/api/v1/runs/${encodeURIComponent(id)}/tree`, { query: { cursor: options.cursor, since: options.since, user: options.user }, signal: options.signal });
  }

  /** What a run waits for: a model, a worker, a person, a trigger that is switched off. Each has a code for programs and a text for people. It may be asked every few seconds. */
  listWaits(id: string, options: Call & { user?: string } = {}): Promise<RunWaits> {
    return this.send("GET", `/api/v1/runs/${encodeURIComponent(id)}/waits`, { query: { user: options.user }, signal: options.signal });
  }

  /** The JSON Schema of every kind of document, by its name. Every write of a document of such a kind is checked against its schema, whichever way it comes. */
  listSchemas(options: Call = {}): Promise<Record<string, Record<string, unknown>>> {
    return this.send("GET", "/api/v1/schemas", { signal: options.signal });
  }

  /** What was said in the chats that the caller may read, newest first. It looks through messages, titles of chats, and instructions and results of tasks. A page may have few items, or none, and yet a next one, since one request looks at a bounded part. */
  search(options: Call & { q: string; chatId?: string; limit?: number; cursor?: string; user?: string }): Promise<FindPage> {
    return this.send("GET", "/api/v1/search", { query: { q: options.q, chatId: options.chatId, limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** The names of the caller's secrets. No call gives a value back. */
  listSecrets(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<NamedSecret>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/secrets", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Delete a secret. A node that names it fails from then on. */
  deleteSecret(name: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/secrets/${encodeURIComponent(name)}`, { signal: options.signal });
  }

  /** Give a secret its value, which graphs use as {{secret:NAME}} and nobody reads again. It is sealed with the server's key and filled in when a request is sent. A name that is taken gets the new value. */
  putSecret(name: string, body: SecretValue, options: Call = {}): Promise<NamedSecret> {
    return this.send("PUT", `/api/v1/secrets/${encodeURIComponent(name)}`, { body, signal: options.signal });
  }

  /** Runs of all users, newest first: how they went, and nothing of what was said. They tell status, times, models, roles, tools, usage and cost. */
  listServerRuns(options: Call & { limit?: number; cursor?: string; status?: string; kind?: string; by?: string; role?: string; model?: string; tool?: string; minCostMicros?: string; from?: string; to?: string; userId?: string } = {}): Promise<{
    items: Array<ServerRun>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/server/runs", { query: { limit: options.limit, cursor: options.cursor, status: options.status, kind: options.kind, by: options.by, role: options.role, model: options.model, tool: options.tool, minCostMicros: options.minCostMicros, from: options.from, to: options.to, userId: options.userId }, signal: options.signal });
  }

  /** The sessions of a user. Each says when it was refreshed last and when it ends. */
  listSessions(options: Call & { limit?: number; cursor?: string; user?: string } = {}): Promise<{
    items: Array<Session>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/sessions", { query: { limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** End a session. Its cookies stop working at once, on other nodes within a second. */
  deleteSession(id: string, options: Call & { user?: string } = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/sessions/${encodeURIComponent(id)}`, { query: { user: options.user }, signal: options.signal });
  }

  /** What there is to know of a row, for who has a link to the run. No account is needed. Requests are limited by the address that they come from. */
  getSharedStep(token: string, options: Call & { row: string }): Promise<RunStep> {
    return this.send("GET", `/api/v1/shared/${encodeURIComponent(token)}/step`, { query: { row: options.row }, signal: options.signal });
  }

  /** The tree of a run, for who has a link to it. No account is needed. Requests are limited by the address that they come from. */
  getSharedTree(token: string, options: Call & { cursor?: string; since?: string } = {}): Promise<RunTree> {
    return this.send("GET", `/api/v1/shared/${encodeURIComponent(token)}/tree`, { query: { cursor: options.cursor, since: options.since }, signal: options.signal });
  }

  /** What happens to all documents that one follows, live. Without path they are the documents of the caller. Only what the rules let the caller read is sent, and after Last-Event-ID nothing is left out. */
  events(options: Call & { from?: string; path?: Array<string> } = {}): AsyncGenerator<ServerEvent<"change", ChangeEvent> | ServerEvent<"delta", DeltaEvent> | ServerEvent<"resync", Resync>, void, void> {
    return this.stream("/api/v1/stream", { query: { from: options.from, path: options.path }, signal: options.signal });
  }

  /** The tasks that were found in documents. Each says whether it is done, and what an agent that works on it has come to. */
  listExtractedTasks(options: Call & { document_id?: string; limit?: number; cursor?: string } = {}): Promise<{
    items: Array<PlannableTask>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/tasks", { query: { document_id: options.document_id, limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** The tools that agents can have, and what is wrong with sources of tools. Under problems it says which sources of tools could not be asked, and which tools are not offered, with the reason. */
  listTools(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Tool>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
    problems?: Array<string>;
  }> {
    return this.send("GET", "/api/v1/tools", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Call a tool. It runs at once and outside of any chat, for the caller, whose request counts as the approval. A call that fails is an answer with the status failed. */
  callTool(name: string, body: NewToolRun, options: Call = {}): Promise<ToolRun> {
    return this.send("POST", `/api/v1/tools/${encodeURIComponent(name)}/call`, { body, signal: options.signal });
  }

  /** The triggers. Each tells what it is for, whether it is on, and how often it fired since the server began. */
  listTriggers(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<Trigger>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/triggers", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Switch a trigger on or off until the server restarts. Only the node that answers switches it. What happens while a trigger is off causes no job later, either. */
  switchTrigger(id: string, body: TriggerSwitch, options: Call = {}): Promise<Trigger> {
    return this.send("PATCH", `/api/v1/triggers/${encodeURIComponent(id)}`, { body, signal: options.signal });
  }

  /** What a user used, by day. It also tells what is left of the user's budgets, those of their accounts and projects included, and how much room they take on the disk. */
  listUsage(options: Call & { from?: string; to?: string; limit?: number; cursor?: string; user?: string } = {}): Promise<UsageList> {
    return this.send("GET", "/api/v1/usage", { query: { from: options.from, to: options.to, limit: options.limit, cursor: options.cursor, user: options.user }, signal: options.signal });
  }

  /** What a user used, by day, model, role and chat. What groupBy names is told apart, and the rows add up to the total. Days are those of UTC, the last 30 by default. */
  reportUsage(options: Call & { from?: string; to?: string; groupBy?: Array<string>; user?: string } = {}): Promise<UsageReport> {
    return this.send("GET", "/api/v1/usage/report", { query: { from: options.from, to: options.to, groupBy: options.groupBy, user: options.user }, signal: options.signal });
  }

  /** What all users used, by day, model, role and user, for an administrator. What groupBy names is told apart, and the rows add up to the total. Chats are their users' own, so nothing is told by chat. */
  reportServerUsage(options: Call & { from?: string; to?: string; groupBy?: Array<string> } = {}): Promise<UsageReport> {
    return this.send("GET", "/api/v1/usage/server", { query: { from: options.from, to: options.to, groupBy: options.groupBy }, signal: options.signal });
  }

  /** All users, for an administrator. Users who are disabled are among them. */
  listUsers(options: Call & { limit?: number; cursor?: string } = {}): Promise<{
    items: Array<User>;
    /** The cursor of the next page; absent at the end. */
    next?: string;
  }> {
    return this.send("GET", "/api/v1/users", { query: { limit: options.limit, cursor: options.cursor }, signal: options.signal });
  }

  /** Add a user, as an administrator. Users log in by id, name or e-mail. A password has 12 to 256 characters. */
  createUser(body: NewUser, options: Call = {}): Promise<User> {
    return this.send("POST", "/api/v1/users", { body, signal: options.signal });
  }

  /** Delete a user with all their data, as an administrator. Agents are stopped, and chats, documents, keys and secrets of the user go. The only owner of an account with other members has to make one of them an owner first. */
  deleteUser(id: string, options: Call = {}): Promise<void> {
    return this.send("DELETE", `/api/v1/users/${encodeURIComponent(id)}`, { signal: options.signal });
  }

  /** Change a user, as an administrator. A new password ends the user's sessions, and who is disabled is out at once. One administrator always stays. */
  patchUser(id: string, body: UserChange, options: Call = {}): Promise<User> {
    return this.send("PATCH", `/api/v1/users/${encodeURIComponent(id)}`, { body, signal: options.signal });
  }
}
