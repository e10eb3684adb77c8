import type { Asked, Reply, ScriptedModel } from "./model";

/** Lets the orchestrator start one agent, which does as it is told. */
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
    const started = asked.part === "orchestrator" && !asked.text.includes("# Report");
    return started
      ? { pieces: ["I start an agent."], calls: [{ name: "create_agent", args: { type, instruction } }] }
      : { pieces: ["It is reported."] };
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
