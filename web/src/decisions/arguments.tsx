import { words } from "../words";

const say = words.decisions;

/** The arguments of a call, each as what it is: texts as they are, numbers and the like plainly, the rest as JSON. */
export function Arguments({ args }: { args: unknown }) {
  const fields =
    typeof args === "object" && args !== null && !Array.isArray(args) ? Object.entries(args) : [];
  if (fields.length === 0) {
    const none = args === undefined || args === null || typeof args === "object";
    return (
      <p className="text-sm text-soft">{none && !Array.isArray(args) ? say.noArguments : asText(args)}</p>
    );
  }
  return (
    <dl className="grid max-h-60 grid-cols-[minmax(4rem,auto)_1fr] gap-x-3 gap-y-1 overflow-auto text-sm">
      {fields.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="font-mono text-xs leading-5 text-soft">{name}</dt>
          <dd
            className={`min-w-0 break-words whitespace-pre-wrap ${typeof value === "string" ? "" : "font-mono text-[13px]"}`}
          >
            {asText(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
