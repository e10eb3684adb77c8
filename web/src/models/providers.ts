/** Who can be asked, and what has to be known for it. */
export interface Provider {
  id: "openai" | "anthropic" | "gemini" | "compatible";
  format: "openai" | "anthropic" | "gemini";
  model: string;
  needsUrl?: boolean;
}

/** The models are the defaults of internal/connection/env.go; a test compares them. */
export const providers: [Provider, ...Provider[]] = [
  { id: "openai", format: "openai", model: "gpt-6.1-terra" },
  { id: "anthropic", format: "anthropic", model: "claude-sonnet-5-5" },
  { id: "gemini", format: "gemini", model: "gemini-3.8-flash" },
  { id: "compatible", format: "openai", model: "llama3.2", needsUrl: true },
];
