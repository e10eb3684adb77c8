import { Activity, FileText, ListTodo, LogOut, Workflow } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { whoAmI } from "../api/me";
import { countUnsent, signOut } from "../data/begin";
import { ownerId } from "../data/owner";
import { countDrawn } from "../data/settings";
import { Button, IconButton } from "../ui/button";
import { useLoaded } from "../ui/loaded";
import { words } from "../words";

const say = words.account;

export const pagesBelow = [
  { href: "/documents", name: say.pages.documents, icon: FileText },
  { href: "/priorities", name: say.pages.priorities, icon: ListTodo },
  { href: "/graphs", name: say.pages.graphs, icon: Workflow },
  { href: "/operations", name: say.pages.operations, icon: Activity },
];

/** The foot of the side bar: the pages beside chats, and who is signed in. */
export function Account() {
  const [path] = useLocation();
  const me = useLoaded(whoAmI).value;
  const [unsent, setUnsent] = useState(0);
  const [unsaved, setUnsaved] = useState(0);
  const leave = () => {
    const count = countUnsent();
    setUnsent(count);
    setUnsaved(countDrawn());
    if (count + countDrawn() === 0) {
      void signOut();
    }
  };
  return (
    <div className="border-t border-line p-2">
      {pagesBelow.map(({ href, name, icon: Icon }) => (
        <Link
          key={href}
          href={href}
          className={`flex items-center gap-2 rounded-lg px-3 py-1.5 text-sm hover:bg-hover ${path.startsWith(href) ? "bg-hover font-medium" : "text-soft"}`}
        >
          <Icon size={16} aria-hidden /> {name}
        </Link>
      ))}
      {ownerId() !== "local" && (
        <div className="flex items-center gap-2 pl-3 text-sm text-soft">
          <span className="min-w-0 flex-1 truncate">{me?.name ?? ownerId()}</span>
          <IconButton label={say.signOut} onClick={leave}>
            <LogOut size={15} />
          </IconButton>
        </div>
      )}
      {unsent + unsaved > 0 && (
        <Unsent
          count={unsent}
          graphs={unsaved}
          onStay={() => {
            setUnsent(0);
            setUnsaved(0);
          }}
        />
      )}
    </div>
  );
}

function Unsent({ count, graphs, onStay }: { count: number; graphs: number; onStay: () => void }) {
  return (
    <div role="alert" className="mt-1 space-y-2 rounded-lg bg-wait-wash p-3 text-sm">
      {count > 0 && <p>{say.unsent(count)}</p>}
      {graphs > 0 && <p>{say.unsavedGraphs(graphs)}</p>}
      <div className="flex gap-2">
        <Button kind="danger" onClick={() => void signOut()}>
          {say.signOutAnyway}
        </Button>
        <Button onClick={onStay}>{say.stay}</Button>
      </div>
    </div>
  );
}
