import type { OutcomeFields } from "../api/priorities";

type Parts = Pick<OutcomeFields, "direction" | "object" | "metric" | "clarifier">;

const missing = "…";

/** An outcome as one sentence, word for word as the server assembles it; what is missing is a gap. */
export function sentence({ direction, ...texts }: Parts): string {
  const [object, metric, clarifier] = [texts.object, texts.metric, texts.clarifier].map(
    (text) => text.trim() || missing,
  );
  const verb = direction.charAt(0).toUpperCase() + direction.slice(1);
  const text = `${verb} ${object}, measured by ${metric}: ${clarifier}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
