/** The page before the first message. */
export const firstrun = {
  title: "What would you like to get done?",
  lead: "You talk to an orchestrator. It answers, or gives the work to agents, which use tools, ask you when they need to and report here. You can look inside each of them while it works, and nothing is lost when a machine stops.",
  examples: {
    tools: { title: "Two tools at once", request: "What is 15% of 80, and what time is it in Tokyo?" },
    agents: { title: "Work divided among agents", request: "Research Go, Rust and Zig." },
    question: { title: "An agent that asks you a question", request: "Book a table for two." },
    document: {
      title: "An agent that writes a document",
      request: "Write a document about our team day: a walk, a lunch and a quiz.",
    },
    plan: { title: "A plan with reasons", request: "Put the tasks of a newsletter in order." },
    graph: { title: "A graph of agents", request: "Run three researchers side by side." },
  },
  preparing: "Preparing…",
  demo: "No model is connected yet, so a {model} answers: a set of rules, not an AI, but enough to see everything work.",
  demoModel: "demo model",
  connect: "Connect a model",
  /** What the plan is made of. */
  plan: {
    outcome: {
      object: "the newsletter",
      metric: "subscribers",
      clarifier: "500 by the end of June",
    },
    document: "Newsletter",
    tasks: `# Newsletter
- [ ] Choose a name for the newsletter (1h)
- [ ] Design the template after choosing a name (4h)
- [ ] Write the first issue (3h)
- [ ] Test the template after designing it (1h)
- [ ] Send the first issue after testing the template (30m)
`,
  },
};
