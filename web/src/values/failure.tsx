import { CircleAlert } from "lucide-react";
import { shapeOf } from "./shape";
import { Value } from "./value";

/** HTTP 404 Not Found: and what the other server said. */
const http = /^HTTP (\d{3})([^:]*)(?:: ([\s\S]*))?$/;

/** Why a call failed. An answer of another server is shown by what it is. */
export function Failure({ name, text }: { name: string; text: string }) {
  const [, status, title = "", said = ""] = http.exec(text) ?? [];
  return (
    <div data-shape="error" className="space-y-1">
      <p className="flex items-start gap-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad">
        <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
        <span className="min-w-0 break-words whitespace-pre-wrap">
          {status && shapeOf(said).kind !== "text" ? `HTTP ${status}${title}` : text}
        </span>
      </p>
      {status && shapeOf(said).kind !== "text" && <Value name={name} text={said} />}
    </div>
  );
}
