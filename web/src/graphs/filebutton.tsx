import { Upload } from "lucide-react";
import { useRef } from "react";
import { Button } from "../ui/button";
import { words } from "../words/graphs";

const say = words.filebutton;

/** Lets a person choose a graph that was exported. */
export function ImportButton({ onText }: { onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon={<Upload size={15} aria-hidden />} onClick={() => input.current?.click()}>
        {say.import}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label={say.graphToImport}
        className="hidden"
        onChange={async (e) => {
          const [file] = e.target.files ?? [];
          const text = await file?.text();
          if (input.current) {
            input.current.value = ""; // the same file can be chosen again
          }
          if (text !== undefined) {
            onText(text);
          }
        }}
      />
    </>
  );
}
