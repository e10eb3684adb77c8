import type { Asked, Reply, ScriptedModel } from "./model";

/** All agents of a message have ended, and their results are there: the orchestrator's turn. */
export const isConcluding = ({ messages }: Asked) =>
  JSON.stringify(messages.at(-1)).includes("All that was started has ended");

/** Lets the orchestrator start one agent, which does as it is told and answers the person. */
export function oneAgent(
  model: ScriptedModel,
  instruction: string,
  agent: (asked: Asked) => Reply,
  type = "general",
): void {
  model.script = (asked) => {
    if (asked.part === "agent") {
      return agent(asked);
    }
    return asked.part === "orchestrator" && !isConcluding(asked)
      ? { pieces: ["I start an agent."], calls: [{ name: "create_agent", args: { type, instruction } }] }
      : { pieces: ["It is concluded."] };
  };
}

/** The agent has the results of its calls. */
export const answered = (asked: Asked) => asked.messages.some((m) => m.role === "tool");

/** Calls a tool once, then concludes. */
export const callThenFinish =
  (name: string, args: unknown) =>
  (asked: Asked): Reply =>
    answered(asked)
      ? { calls: [{ name: "final_answer", args: { answer: "Settled." } }] }
      : { calls: [{ name, args }] };
