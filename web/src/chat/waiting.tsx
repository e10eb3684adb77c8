import { useEffect, useState } from "react";
import { Link } from "wouter";
import { getWaits } from "../api/calls";
import { whoAmI } from "../api/me";
import type { Wait } from "../api/types";
import { useLoaded } from "../ui/loaded";
import { useNow } from "../ui/now";
import { words } from "../words";

const say = words.chat;
const phrases = say.waits;

interface Props {
  /** The run of the message that is not answered yet. */
  runId: string;
  /** It is being stopped; offline, when the server is back. */
  stopping: boolean;
  online: boolean;
}

/** That an answer is being prepared, and what it waits for. */
export function Waiting({ runId, stopping, online }: Props) {
  const { wait, over } = useWait(runId, online && !stopping);
  if (stopping) {
    return <Line text={online ? say.stopping : say.stoppedLater} moving={online} />;
  }
  if (wait?.code === "off") {
    return <Off trigger={wait.trigger ?? ""} />;
  }
  if (!wait && over) {
    return <Line text={say.unanswered} moving={false} />;
  }
  return wait ? <Told wait={wait} /> : <Line text={say.thinking} moving />;
}

/** It grows by words that are needed only then, so nothing moves when it is short. */
function Line({ text, more = "", moving }: { text: string; more?: string; moving: boolean }) {
  return (
    <p role="status" className={`min-h-6 text-sm text-faint ${moving ? "animate-pulse" : ""}`}>
      {text}
      {more && (
        <span aria-hidden className="tabular-nums">
          {" "}
          · {more}
        </span>
      )}
    </p>
  );
}

function Told({ wait }: { wait: Wait }) {
  const now = useNow(true);
  const seconds = wait.since ? Math.max(0, Math.floor((now - wait.since) / 1000)) : 0;
  const text = inWords(wait, now);
  const counted = wait.code !== "retry" && seconds > 0;
  return (
    <Line
      text={wait.helper ? phrases.helper(wait.role ?? "", text) : text}
      more={counted ? phrases.forSeconds(seconds) : ""}
      moving
    />
  );
}

/** What is waited for, as a sentence. */
export function inWords(wait: Wait, now: number): string {
  switch (wait.code) {
    case "model":
      return wait.model ? phrases.model(wait.model) : phrases.someModel;
    case "place":
      return phrases.place(wait.model ?? "");
    case "tool":
      return phrases.tool(wait.tool ?? "");
    case "queue":
      return phrases.queue(wait.ahead ?? 0);
    case "retry":
      return phrases.retry(wait.error ?? "", Math.ceil(Math.max(0, (wait.until ?? 0) - now) / 1000));
    case "budget":
      return phrases.budget(wait.error ?? "");
    case "off":
      return phrases.off(wait.trigger ?? "");
    case "turn":
    case "restart":
    case "person":
    case "decision":
    case "paused":
    case "client":
    case "execution":
      return phrases[wait.code];
    default:
      return phrases.other;
  }
}

/** Nothing will happen by itself: who can change that is shown where. */
function Off({ trigger }: { trigger: string }) {
  const admin = useLoaded(whoAmI).value?.admin ?? false;
  return (
    <p role="status" className="min-h-6 text-sm text-wait">
      {phrases.off(trigger)}{" "}
      {admin ? (
        <Link href="/operations/triggers" className="font-medium underline hover:text-ink">
          {phrases.toTriggers}
        </Link>
      ) : (
        phrases.askAdministrator
      )}
    </p>
  );
}

const first = 600;
const pause = 2000;

interface Known {
  runId: string;
  /** What the run waits for most. */
  wait?: Wait;
  /** The run has ended: nothing comes of it any more. */
  over?: boolean;
}

/** What is known of a run, asked now and then while somebody looks. */
function useWait(runId: string, asking: boolean): Known {
  const [known, setKnown] = useState<Known>({ runId });
  useEffect(() => {
    if (!asking) {
      return;
    }
    let shown = true;
    let timer: ReturnType<typeof setTimeout>;
    const again = (after: number) => {
      timer = setTimeout(ask, after);
    };
    const ask = () => {
      if (document.hidden) {
        again(pause);
        return;
      }
      getWaits(runId)
        .then(({ status, waits }) => {
          if (shown) {
            setKnown({ runId, wait: waits?.[0], over: status !== "running" && status !== "waiting" });
          }
        })
        .catch(() => {}) // what was known stays; the next time may tell
        .finally(() => shown && again(pause));
    };
    again(first); // most answers begin before there is something to tell
    return () => {
      shown = false;
      clearTimeout(timer);
    };
  }, [runId, asking]);
  return known.runId === runId ? known : { runId };
}
