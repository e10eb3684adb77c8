import { useLocation } from "wouter";
import { graphPath } from "../place";
import { exactTime } from "../thread/format";
import { Button } from "../ui/button";
import type { Work } from "./work";

/** Says that somebody saved a newer version, and lets the person decide. Nothing is lost either way. */
export function LateNotice({ work }: { work: Work }) {
  const [, navigate] = useLocation();
  if (!work.newer) {
    return null;
  }
  const copy = async () => {
    const made = await work.saveCopy();
    if (made) {
      navigate(graphPath(made));
    }
  };
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 bg-wait-wash px-3 py-2 text-sm">
      <p className="min-w-60 flex-1">
        This graph was saved somewhere else meanwhile ({exactTime(work.newer.updatedAt)}). Your changes are
        not saved; they are kept in this browser.
      </p>
      <Button onClick={work.takeNewer}>Take theirs (undo brings yours back)</Button>
      <Button onClick={() => void copy()}>Save mine as a copy</Button>
      <Button kind="danger" disabled={work.saving} onClick={() => void work.keepMine()}>
        Replace theirs
      </Button>
    </div>
  );
}
