/** Who can be asked, and what has to be known for it. */
export interface Provider {
  id: string;
  name: string;
  format: "openai" | "anthropic" | "gemini";
  model: string;
  needsUrl?: boolean;
}

/** The models are the defaults of internal/connection/env.go; a test compares them. */
export const providers: Provider[] = [
  { id: "openai", name: "OpenAI", format: "openai", model: "gpt-6.1-terra" },
  { id: "anthropic", name: "Anthropic", format: "anthropic", model: "claude-sonnet-5-5" },
  { id: "gemini", name: "Gemini", format: "gemini", model: "gemini-3.8-flash" },
  { id: "compatible", name: "Compatible server", format: "openai", model: "llama3.2", needsUrl: true },
];
