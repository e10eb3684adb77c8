/** Who can be asked, and what has to be known for it. */
export interface Provider {
  id: string;
  name: string;
  format: "openai" | "anthropic" | "gemini";
  model: string;
  needsUrl?: boolean;
}

export const providers: Provider[] = [
  { id: "openai", name: "OpenAI", format: "openai", model: "gpt-5-mini" },
  { id: "anthropic", name: "Anthropic", format: "anthropic", model: "claude-sonnet-4-5" },
  { id: "gemini", name: "Gemini", format: "gemini", model: "gemini-2.5-flash" },
  { id: "compatible", name: "Compatible server", format: "openai", model: "llama3.2", needsUrl: true },
];
