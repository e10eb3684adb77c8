import { count } from "./count";

export const decisions = {
  /** Who something is about, as "General: Book a table". */
  agent: (role: string, title: string) => (role === title ? role : `${role}: ${title}`),
  lookInside: (role: string, about: string) => `Look inside ${role}: ${about}`,

  question: "Question:",
  answerTo: (who: string) => `Your answer to ${who}`,
  answerPlaceholder: "Your answer",
  reply: "Reply",
  choices: "Suggested answers",
  yourAnswer: "Your answer:",
  sending: "Sending…",
  sentLater: "Sent when the server is back",
  busy: (why: string) => `The server has too much to do: ${why}. It is sent as soon as it can be.`,
  notSent: (why: string) => `Not sent: ${why}`,
  left: "The question was dealt with before you sent this:",
  tryAgain: "Try again",
  discard: "Discard",
  copyAnswer: "Copy your answer",

  needsDecision: "Needs your decision:",
  needsApproval: "This call needs your approval before it runs.",
  unknownEffect: "The server stopped during this call, so it is not known whether the call took effect.",
  noArguments: "It has no arguments.",
  argumentsAsJson: "Arguments of the call, as JSON",
  notJson: (why: string) => `The arguments are no JSON: ${why}`,
  denyReason: "Reason, if you deny it",
  doneResult: "Result, if you mark it as done",
  approve: "Approve",
  approveEdited: "Approve as edited",
  edit: "Edit",
  deny: "Deny",
  runAgain: "Run it again",
  isDone: "It is done",
  skip: "Skip it",
  withClient: "Waits for its client to run",
  /** What came of a call that needed approval, after the name of its tool. */
  decided: {
    approve: "was approved",
    deny: "was denied",
    retry: "was run again",
    done: "was marked as done",
    skip: "was skipped",
    result: "was run by the client",
    fail: "failed at the client",
  } as Record<string, string>,
  undecided: "was not decided",
  withOtherArguments: "with other arguments",
  because: (what: string, reason: string) => `${what}: ${reason}`,

  waitsForHelpers: "Waits for",
  helpers: (n: number) => count(n, "helper"),
  helpersRunning: (n: number) => `${n} at work`,
  helpersWaiting: (n: number) => `${n} waiting for you`,
  helpersFailed: (n: number) => `${n} failed`,
  helpersCouldNot: (n: number) => `${n} could not`,
  moreHelpers: (n: number) => `and ${n} more`,
  used: (tokens: string, cost: string) => `${tokens} tokens${cost && ` · ${cost}`}`,
  withHelpers: "with its helpers",
  working: "Working…",

  waiting: (n: number) => (n === 1 ? "An agent waits for you:" : `${n} agents wait for you:`),
  goesToNestor: "What you write here goes to Nestor.",
  goesTo: (who: string) => `What you write here answers ${who}.`,

  callsLabel: "Tool calls",
  underWay: "under way…",
  lookInsideAgent: "Look inside the agent",

  /** The title of the tab while somebody waits. */
  tab: {
    plain: "Nestor",
    question: (chat: string) => `Question · ${chat}`,
    decision: (chat: string) => `Decision · ${chat}`,
    several: (n: number) => `(${n}) Nestor`,
    unnamed: "New chat",
  },
  notify: {
    on: "You are told when an agent waits and you look elsewhere. Switch it off",
    off: "Tell me when an agent waits and I look elsewhere",
    denied:
      "Your browser does not let Nestor tell you. Allow notifications for this site in its settings, then switch it on again.",
    close: "Close",
    asks: (who: string) => `${who} asks`,
    decision: (who: string) => `${who} needs a decision`,
  },
};
