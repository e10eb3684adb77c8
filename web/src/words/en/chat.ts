import { count } from "./count";

export const chat = {
  conversation: "Conversation",
  you: "You",
  notSentYet: "You, not sent yet",
  nestor: "Nestor",
  writing: "Nestor is writing",
  stopped: "Stopped.",
  interrupted: "Interrupted by what you said next.",
  latest: "Latest",
  thinking: "Thinking…",
  unanswered: "This was not answered. Say something to go on.",
  summarised: "Earlier parts of this conversation were summarised",
  usedBy: "Used by this chat and its agents",
  tokens: (n: string) => `${n} tokens`,
  newChat: "New chat",
  rename: "Rename",
  titleOfChat: "Title of the chat",

  showLines: (n: number) => `Show all ${n.toLocaleString("en")} lines`,
  showCharacters: (n: number) => `Show all ${n.toLocaleString("en")} characters`,
  showLess: "Show less",

  copyMessage: "Copy the message",
  copyAnswer: "Copy the answer",
  quote: "Quote",
  edit: "Edit and send again",
  editMessage: "Edit the message",
  editHint: "It is sent in a copy of the chat. This one stays as it is.",
  cancel: "Cancel",
  send: "Send",
  answerAgain: "Answer again, in a copy of the chat",
  fork: "Fork from here",
  forkedFrom: "Forked from {chat}",
  anotherChat: "another chat",
  versions: "Versions of this message",
  versionOf: (n: number, all: number) => `${n} of ${all}`,
  earlierVersion: "Earlier version",
  laterVersion: "Later version",

  brokenOff: "It broke off here.",

  agents: (n: number) => (n === 1 ? "Agent" : count(n, "agent")),
  done: (n: number, all: number) => `${n} of ${all} done`,
  waitingForYou: (n: number) => `${n} waiting for you`,
  failed: (n: number) => `${n} failed`,
  couldNot: (n: number) => `${n} could not`,
  cancelled: (n: number) => `${n} cancelled`,

  /** A message that is not sent yet. */
  sending: "Sending…",
  sentLater: "Sent when the server is back",
  stopping: "Stopping…",
  stoppedLater: "Stopped when the server is back",
  notSent: (why: string) => `Not sent: ${why}`,
  sendNow: "Send now",
  tryAgain: "Try again",
  editUnsent: "Edit",
  discard: "Discard",
  busy: (why: string) => `The server has too much to do: ${why}.`,
  sentAgainIn: (seconds: number) => `Sent again in ${seconds} s.`,

  /** Parts of the UI, in "… could not be shown". */
  parts: {
    header: "The header of the chat",
    conversation: "The conversation",
    begin: "The beginning of a chat",
    row: "This part of the conversation",
    task: "A task",
    field: "The message field",
    agent: "The agent",
  },

  /** What is waited for before there is an answer. */
  waits: {
    forSeconds: (s: number) => (s < 60 ? `${s} s` : `${Math.floor(s / 60)} min ${s % 60} s`),
    model: (model: string) => `Waiting for ${model}`,
    someModel: "Waiting for the model",
    place: (model: string) => `Waiting for a free place at ${model || "the model"}`,
    tool: (tool: string) => `Waiting for the tool ${tool}`,
    helper: (role: string, what: string) => `The agent ${role} helps: ${lowerFirst(what)}`,
    queue: (ahead: number) =>
      ahead > 0
        ? `Waiting for a free worker, after ${count(ahead, "other job")}`
        : "Waiting for a free worker",
    turn: "Waiting for what was said before to be done",
    retry: (error: string, seconds: number) =>
      seconds > 0
        ? `${sentence(error)}; trying again in ${seconds} s`
        : `${sentence(error)}; trying again now`,
    restart: "The server was restarted; going on",
    budget: (error: string) => `Waiting for the budget: ${error}`,
    person: "Waiting for your answer",
    decision: "Waiting for your decision",
    paused: "An agent is paused",
    client: "Waiting for a tool of the client",
    execution: "Waiting in a graph",
    off: (trigger: string) => `Nothing happens: the trigger ${trigger} is switched off.`,
    toTriggers: "Switch it on in Operations",
    askAdministrator: "An administrator can switch it on.",
    other: "Working",
  },
};

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const sentence = (text: string) => text.replace(/[.\s]+$/, "");
