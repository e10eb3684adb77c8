import { CodeBlock } from "../ui/code";
import { words } from "../words/graphs";

const say = words.value;

/** A value of a run: a text as it is, anything else as JSON. */
export function Value({ value }: { value: unknown }) {
  if (typeof value === "string") {
    return (
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-48 overflow-auto rounded-lg border border-line bg-panel px-2.5 py-1.5 text-sm break-words whitespace-pre-wrap"
      >
        {value}
      </div>
    );
  }
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? ""} language="json" />;
}

/** Values by name; signals carry nothing and are named only. */
export function Values({ of, title }: { of: Record<string, unknown>; title: string }) {
  const entries = Object.entries(of);
  if (entries.length === 0) {
    return null;
  }
  return (
    <div>
      <h4 className="text-xs font-medium text-soft">{title}</h4>
      <dl className="space-y-1">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-faint">{name}</dt>
            <dd>
              {value === true ? (
                <span className="text-xs text-faint">{say.signalOrTrue}</span>
              ) : (
                <Value value={value} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
