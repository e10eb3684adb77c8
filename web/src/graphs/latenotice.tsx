import { useLocation } from "wouter";
import { graphPath } from "../place";
import { exactTime } from "../thread/format";
import { Button } from "../ui/button";
import { words } from "../words/graphs";
import type { Work } from "./work";

const say = words.latenotice;

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
      <p className="min-w-60 flex-1">{say.late(exactTime(work.newer.updatedAt))}</p>
      <Button onClick={work.takeNewer}>{say.takeTheirs}</Button>
      <Button onClick={() => void copy()}>{say.saveCopy}</Button>
      <Button kind="danger" disabled={work.saving} onClick={() => void work.keepMine()}>
        {say.replaceTheirs}
      </Button>
    </div>
  );
}
