import { Notice } from "../ui/notice";
import { words } from "../words/documents";

const say = words.difference;

const looks: Record<string, string> = {
  "+": "bg-good-wash text-good",
  "-": "bg-bad-wash text-bad",
  "@": "bg-panel text-faint",
  "\\": "text-faint",
};

interface Props {
  /** What it is the difference of, for those who do not see it. */
  label: string;
  unified?: string;
  error?: string;
}

/** A difference in the unified format, with its colours. The signs tell the same. */
export function Difference({ label, unified, error }: Props) {
  if (error) {
    return <Notice text={error} />;
  }
  if (unified === undefined) {
    return <p className="text-sm text-faint">{say.comparing}</p>;
  }
  if (unified === "") {
    return <p className="text-sm text-faint">{say.same}</p>;
  }
  const lines = unified
    .replace(/\n$/, "")
    .split("\n")
    .map((line, n) => ({ n, line }));
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
      tabIndex={0}
      className="max-h-[60vh] overflow-auto rounded-lg border border-line font-mono text-[13px] leading-5"
    >
      <div className="py-1">
        {lines.map(({ n, line }) => (
          <div
            key={n}
            data-line={line[0]}
            className={`px-3 break-words whitespace-pre-wrap ${looks[line[0] ?? ""] ?? ""}`}
          >
            {line || " "}
          </div>
        ))}
      </div>
    </section>
  );
}
