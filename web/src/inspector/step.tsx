import { Brain, CircleAlert, CircleHelp, Flag, Link as LinkIcon, MessageSquare } from "lucide-react";
import { Link } from "wouter";
import { Files } from "../chat/said";
import { Verbatim } from "../chat/verbatim";
import { stepPath } from "../place";
import { cost, duration, exactClock, exactTime, tokens } from "../thread/format";
import type { Step } from "../thread/steps";
import { Boundary } from "../ui/boundary";
import { CopyButton } from "../ui/copy";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { words } from "../words/inspector";
import { ToolCard } from "./toolcard";

interface Props {
  step: Step;
  chatId: string;
  agentId: string;
  linked: boolean;
}

const say = words;
const titles: Record<Step["kind"], string> = say.steps;

const looks: Partial<Record<Step["kind"], string>> = {
  question: "border-wait/50 bg-wait-wash",
  final: "border-good/40 bg-good-wash",
  error: "border-bad/40 bg-bad-wash",
};

/** One step of an agent. */
export function StepView({ step, chatId, agentId, linked }: Props) {
  if (step.kind === "system" || step.kind === "summary") {
    return (
      <Fold summary={titles[step.kind]}>
        <div className="rounded-lg border border-line bg-raised p-3 text-sm">
          <Markdown text={step.text} />
        </div>
      </Fold>
    );
  }
  return (
    <section
      id={`step-${step.id}`}
      data-step={step.kind}
      tabIndex={-1}
      aria-label={title(step)}
      className={`group/step scroll-mt-3 rounded-xl border p-3 ${looks[step.kind] ?? "border-line bg-raised"} ${linked ? "ring-2 ring-accent" : ""}`}
    >
      <StepHead step={step} chatId={chatId} agentId={agentId} />
      {step.reasoning && <Thoughts text={step.reasoning} live={step.live} />}
      {step.text && (
        <div className="mt-1 text-[15px]">
          {step.message?.authorId ? (
            <Verbatim id={step.id} text={step.text} />
          ) : (
            <Markdown text={step.text} live={step.live} />
          )}
        </div>
      )}
      <Files parts={step.message?.parts} chatId={chatId} />
      {step.interrupted && <p className="mt-1 text-xs text-faint">{say.interrupted}</p>}
      {step.live && !step.text && !step.reasoning && (
        <p className="animate-pulse text-sm text-faint">{say.thinking}</p>
      )}
      {step.calls.length > 0 && (
        <div className="mt-2 space-y-2">
          {step.calls.map((c) => (
            <Boundary key={c.request.id} what={say.parts.call}>
              <ToolCard {...c} chatId={chatId} agentId={agentId} />
            </Boundary>
          ))}
        </div>
      )}
    </section>
  );
}

function title(step: Step): string {
  if (step.kind === "told") {
    return step.first ? say.instruction : say.messageFrom(sender(step.message?.name));
  }
  const title = titles[step.kind];
  return step.number && step.kind === "said" ? say.numbered(title, step.number) : title;
}

/** Who said it: the orchestrator, or by their id the person who steers. */
const sender = (name = "") => (name === "local" || name === "" ? say.you : name);

function StepHead({ step, chatId, agentId }: Omit<Props, "linked">) {
  const Icon = { told: MessageSquare, question: CircleHelp, final: Flag, error: CircleAlert }[
    step.kind as string
  ];
  const meta = step.message?.metadata;
  return (
    <div className="flex min-h-6 items-center gap-2 text-xs text-faint">
      <h3 className="flex items-center gap-1.5 font-medium text-soft">
        {Icon && <Icon size={13} aria-hidden />}
        {title(step)}
      </h3>
      {meta && (
        <span
          className="tabular-nums"
          title={meta.usage ? say.inOut(meta.usage.inputTokens, meta.usage.outputTokens) : undefined}
        >
          {[
            meta.durationMs !== undefined && duration(meta.durationMs),
            meta.usage && say.tokens(tokens(meta.usage)),
            meta.costMicros && cost(meta.costMicros),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      )}
      <span className="flex-1" />
      {step.message && (
        <>
          <span className="-my-1 flex opacity-0 transition-opacity group-focus-within/step:opacity-100 group-hover/step:opacity-100">
            <Link
              href={stepPath(chatId, agentId, step.id)}
              aria-label={say.linkToStep}
              title={say.linkToStep}
              className="inline-flex size-7 items-center justify-center rounded-lg hover:bg-hover hover:text-ink"
            >
              <LinkIcon size={13} />
            </Link>
            <CopyButton text={step.text || JSON.stringify(step.message, null, 2)} label={say.copyStep} />
          </span>
          <time title={exactTime(step.message.createdAt)} className="tabular-nums max-sm:hidden">
            {exactClock(step.message.createdAt)}
          </time>
        </>
      )}
    </div>
  );
}

function Thoughts({ text, live }: { text: string; live?: boolean }) {
  return (
    <Fold
      open={live}
      className="mt-1"
      summary={
        <span className="flex min-w-0 items-center gap-1.5">
          <Brain size={13} className="shrink-0" aria-hidden />
          <span className="truncate italic group-open/fold:not-italic">
            {say.thoughts(text.slice(0, 100))}
          </span>
        </span>
      }
    >
      <p className="border-l-2 border-line pl-3 text-sm whitespace-pre-wrap text-soft italic">{text}</p>
    </Fold>
  );
}
