import { Download } from "lucide-react";
import { useState } from "react";
import { getMe } from "../api/calls";
import { apiPath } from "../base";
import { useAction } from "../ui/action";
import { Button, IconButton } from "../ui/button";
import { Notice } from "../ui/notice";
import { words } from "../words";

const say = words.share;

/** Saves a chat as a file. */
export function ExportMenu({ chatId }: { chatId: string }) {
  const [open, setOpen] = useState(false);
  const [agents, setAgents] = useState(false);
  const { busy, error, run } = useAction();
  const save = (format: "md" | "json") =>
    run(async () => {
      await getMe(); // goes on with the session, which a link cannot
      const link = document.createElement("a");
      link.href = `${apiPath}/chats/${chatId}/export?format=${format}${agents ? "&agents=1" : ""}`;
      link.download = "";
      link.click();
      setOpen(false);
    });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is
    <div className="relative" onKeyDown={(e) => e.key === "Escape" && setOpen(false)}>
      <IconButton label={say.exported} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Download size={16} />
      </IconButton>
      {open && (
        <div className="absolute right-0 z-10 mt-1 w-56 space-y-2 rounded-xl border border-line bg-raised p-3 text-sm shadow-lg">
          <label className="flex min-h-8 items-center gap-2">
            <input type="checkbox" checked={agents} onChange={(e) => setAgents(e.target.checked)} />
            {say.withAgents}
          </label>
          <Button disabled={busy} onClick={() => save("md")} className="w-full">
            {say.markdown}
          </Button>
          <Button disabled={busy} onClick={() => save("json")} className="w-full">
            {say.json}
          </Button>
          {error && <Notice text={error} />}
        </div>
      )}
    </div>
  );
}
