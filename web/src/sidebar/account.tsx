import { Activity, LogOut } from "lucide-react";
import { Link, useLocation } from "wouter";
import { signOut } from "../api/calls";
import { whoAmI } from "../api/me";
import { useAction } from "../ui/action";
import { IconButton } from "../ui/button";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";

/** The foot of the side bar: the operations page, and who is signed in. */
export function Account() {
  const [path] = useLocation();
  const me = useLoaded(whoAmI).value;
  const { error, run } = useAction();
  const leave = () =>
    run(async () => {
      await signOut();
      await (await import("../data/database")).forget();
      location.assign("/");
    });
  return (
    <div className="border-t border-line p-2">
      <Link
        href="/operations"
        className={`flex items-center gap-2 rounded-lg px-3 py-1.5 text-sm hover:bg-hover ${path.startsWith("/operations") ? "bg-hover font-medium" : "text-soft"}`}
      >
        <Activity size={16} aria-hidden /> Operations
      </Link>
      {me && me.id !== "local" && (
        <div className="flex items-center gap-2 pl-3 text-sm text-soft">
          <span className="min-w-0 flex-1 truncate">{me.name}</span>
          <IconButton label="Sign out" onClick={leave}>
            <LogOut size={15} />
          </IconButton>
        </div>
      )}
      {error && <Notice text={error} />}
    </div>
  );
}
