import { X } from "lucide-react";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { Dialog } from "./dialog";
import { keys, written } from "./keys";
import { closeDialog } from "./open";

const say = words.find;

/** All keys there are. */
export default function Help() {
  return (
    <Dialog label={say.keys.title}>
      <div className="flex items-center px-4 pt-3">
        <h2 className="flex-1 font-semibold">{say.keys.title}</h2>
        <IconButton label={say.close} onClick={closeDialog}>
          <X size={16} />
        </IconButton>
      </div>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-5 gap-y-2 px-4 pt-2 pb-4 text-sm">
        {keys.map(({ press, says }) => (
          <div key={press} className="contents">
            <dt className="whitespace-nowrap">
              <kbd className="rounded border border-line bg-panel px-1.5 py-0.5 font-sans text-xs">
                {written(press)}
              </kbd>
            </dt>
            <dd className="text-soft">{says}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
