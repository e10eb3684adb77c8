import { ArrowDown } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDocument, useDocuments, useDrafts } from "../data/hooks";
import { openAgent } from "../data/store";
import { useTree } from "../decisions/hooks";
import type { Place } from "../place";
import { isFailed, steps as stepsOf } from "../thread/steps";
import { useAction } from "../ui/action";
import { Boundary } from "../ui/boundary";
import { Button } from "../ui/button";
import { useFocusInside } from "../ui/focus";
import { Notice } from "../ui/notice";
import { useStickToEnd } from "../ui/stick";
import { words } from "../words/inspector";
import { Answering } from "./answering";
import { Banner } from "./banner";
import { InspectorHeader } from "./header";
import { useStepKeys } from "./keys";
import { Steer } from "./steer";
import { StepView } from "./step";
import { Timeline } from "./timeline";
import { Toolbar, type View } from "./toolbar";

const say = words;

interface Props extends Place {
  agentId: string;
}

/** The inside of an agent, beside the chat, while it works and later. */
export default function Inspector({ chatId, agentId, stepId }: Props) {
  const { error, run } = useAction();
  const place = useRef<HTMLElement>(null);
  useFocusInside(true, place, ":not(*)"); // the whole: none of its controls is meant
  useEffect(() => {
    void run(() => openAgent(chatId, agentId));
  }, [chatId, agentId, run]);
  const agent = useDocument("sub_agents", agentId);
  const task = useDocuments("tasks", "subAgentId", agentId)[0];
  const messages = useDocuments("sub_agent_messages", "subAgentId", agentId);
  const calls = useDocuments("sub_agent_tool_calls", "subAgentId", agentId);
  const drafts = useDrafts(chatId, agentId);
  const [view, setView] = useState<View>("steps");
  const [failedOnly, setFailedOnly] = useState(false);
  const { scroller, content, onScroll, away, toEnd, letGo } = useStickToEnd(
    !stepId && task?.status === "running",
  );
  const all = useMemo(() => stepsOf(messages, calls, drafts), [messages, calls, drafts]);
  const tree = useTree(task);
  const shown = failedOnly ? all.filter(isFailed) : all;
  const onKeyDown = useStepKeys(scroller);

  // The step of the address, once it is there.
  const found = all.some((s) => s.id === stepId);
  useEffect(() => {
    if (found && stepId) {
      letGo();
      setView("steps");
      requestAnimationFrame(() => {
        const el = document.getElementById(`step-${stepId}`);
        el?.scrollIntoView({ block: "start" });
        el?.focus({ preventScroll: true });
      });
    }
  }, [found, stepId, letGo]);

  return (
    <aside
      ref={place}
      tabIndex={-1}
      aria-label={say.label}
      className="flex min-w-0 flex-col border-line bg-panel max-xl:flex-1 xl:w-1/2 xl:max-w-3xl xl:border-l"
    >
      <Boundary what={say.parts.header}>
        <InspectorHeader chatId={chatId} agent={agent} task={task} {...tree} />
      </Boundary>
      {error && !agent && (
        <div className="p-3">
          <Notice text={error} />
        </div>
      )}
      <Banner task={task} helpers={tree.helpers} asks={tree.asks} />
      <Toolbar
        view={view}
        onView={setView}
        failed={all.filter(isFailed).length}
        failedOnly={failedOnly}
        onFailedOnly={setFailedOnly}
        raw={() => ({ task, agent, messages, calls })}
        name={agentId}
      />
      <div className="relative min-h-0 flex-1">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between its steps */}
        <div ref={scroller} onScroll={onScroll} onKeyDown={onKeyDown} className="h-full overflow-y-auto">
          <div ref={content} className="space-y-3 p-4">
            {view === "timeline" ? (
              <Boundary what={say.parts.timeline}>
                <Timeline chatId={chatId} agentId={agentId} messages={messages} calls={calls} />
              </Boundary>
            ) : (
              shown.map((step) => (
                <Boundary key={step.id} what={say.parts.step}>
                  <StepView step={step} chatId={chatId} agentId={agentId} linked={step.id === stepId} />
                </Boundary>
              ))
            )}
            {shown.length === 0 && (
              <p className="text-sm text-faint">{failedOnly ? say.nothingFailed : say.aboutToStart}</p>
            )}
          </div>
        </div>
        {away && task?.status === "running" && (
          <Button
            icon={<ArrowDown size={14} />}
            onClick={toEnd}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md"
          >
            {say.jumpToLive}
          </Button>
        )}
      </div>
      {task && (
        <Boundary what={say.parts.answering}>
          <Answering key={task.id} task={task} inspector={place} />
        </Boundary>
      )}
      {task?.status === "running" && task.type === "agent" && (
        <Boundary what={say.parts.steering}>
          <Steer task={task} />
        </Boundary>
      )}
    </aside>
  );
}
