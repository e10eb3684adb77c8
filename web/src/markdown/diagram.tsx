import { Code2, Image as ImageIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../ui/button";
import { CodeBlock } from "../ui/code";
import { CopyButton } from "../ui/copy";
import { isDark, useScheme } from "../ui/scheme";
import { words } from "../words";

const say = words.render.diagram;

export const diagramLanguage = "mermaid";

/** A diagram in Mermaid's language, drawn; its source on demand, and when it makes no sense. */
export function Diagram({ source }: { source: string }) {
  const scheme = useScheme();
  const [drawn, setDrawn] = useState<{ url: string } | { error: string }>();
  const [asSource, setAsSource] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are another picture
  useEffect(() => {
    let current = true;
    import("../diagram/draw")
      .then((m) => m.draw(source, isDark()))
      .then(
        (url) => current && setDrawn({ url }),
        (e: Error) => current && setDrawn({ error: e.message }),
      );
    return () => {
      current = false;
    };
  }, [source, scheme]);
  if (!drawn || "error" in drawn) {
    return (
      <div data-diagram={drawn ? "failed" : "drawing"}>
        <CodeBlock text={source} language={diagramLanguage} />
        <p
          role="status"
          className={`mt-1 text-xs break-words whitespace-pre-wrap ${drawn ? "text-bad" : "text-faint"}`}
        >
          {drawn ? say.failed(drawn.error) : say.drawing}
        </p>
      </div>
    );
  }
  return (
    <figure data-diagram="drawn" className="overflow-hidden rounded-lg border border-line bg-panel">
      <figcaption className="flex items-center gap-1 border-b border-line py-0.5 pr-1 pl-3 text-xs text-soft">
        <span className="flex-1">{say.name}</span>
        <IconButton
          label={asSource ? say.showPicture : say.showSource}
          onClick={() => setAsSource(!asSource)}
          className="size-7"
        >
          {asSource ? <ImageIcon size={14} /> : <Code2 size={14} />}
        </IconButton>
        <CopyButton text={source} label={say.copy} />
      </figcaption>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[70vh] overflow-auto p-3"
      >
        {asSource ? (
          <pre className="font-mono text-[13px]">{source}</pre>
        ) : (
          <img src={drawn.url} alt={say.alt} className="mx-auto" />
        )}
      </div>
    </figure>
  );
}
