import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation, useRoute } from "wouter";
import { ChatPage } from "./chat/page";
import { begin, type Who } from "./data/begin";
import { loadPage, savePage } from "./data/settings";
import { Waiting } from "./decisions/waiting";
import { pages, parsePlace } from "./place";
import { Shell } from "./shell";
import { SignIn } from "./signin";
import { Boundary } from "./ui/boundary";
import { words } from "./words";

const say = words.shell;

const GraphEditor = lazy(() => import("./graphs/editor"));
const Graphs = lazy(() => import("./graphs/page"));
const Operations = lazy(() => import("./operations/page"));
const Priorities = lazy(() => import("./priorities/page"));
const Documents = lazy(() => import("./documents/page"));
const RunPage = lazy(() => import("./runs/page"));
const SharedRun = lazy(() => import("./runs/shared"));

/** What somebody shared is shown to anyone, and everything else to whoever signed in. */
export function App() {
  const [isShared, shared] = useRoute(pages.shared);
  return isShared ? (
    <Suspense fallback={null}>
      <SharedRun token={shared.token} />
    </Suspense>
  ) : (
    <Owned />
  );
}

/** Nothing is shown before it is known to whom. */
function Owned() {
  const [who, setWho] = useState<Who>("asking");
  useEffect(() => {
    void begin().then(setWho);
  }, []);
  switch (who) {
    case "asking":
      return null;
    case "nobody":
      return (
        <Boundary what={say.parts.signin}>
          <SignIn />
        </Boundary>
      );
    case "owner":
      return <Pages />;
    default:
      throw who;
  }
}

function Pages() {
  const [path] = useLocation();
  useEffect(() => {
    if (path !== pages.start) {
      savePage(path);
    }
  }, [path]);
  const place = parsePlace(path);
  const chat = place && <ChatPage key={place.chatId} {...place} />;
  return (
    <Shell>
      <Waiting />
      <Boundary key={place?.chatId ?? path.split("/")[1]} what={say.parts.page}>
        <Suspense fallback={<p className="p-8 text-faint">{say.loading}</p>}>
          <Switch>
            <Route path={pages.operations}>
              <Operations />
            </Route>
            <Route path={pages.tab}>{({ tab }) => <Operations tab={tab} />}</Route>
            <Route path={pages.priorities}>
              <Priorities />
            </Route>
            <Route path={pages.part}>{({ part }) => <Priorities part={part} />}</Route>
            <Route path={pages.documents}>
              <Documents />
            </Route>
            <Route path={pages.document}>{({ document }) => <Documents id={document} />}</Route>
            <Route path={pages.graphs}>
              <Graphs />
            </Route>
            <Route path={pages.graph}>{({ graph }) => <GraphEditor key={graph} id={graph} />}</Route>
            <Route path={pages.chatRun}>{({ run }) => <RunPage key={run} runId={run} />}</Route>
            <Route path={pages.run}>{({ run }) => <RunPage key={run} runId={run} />}</Route>
            <Route path={pages.chat}>{chat}</Route>
            <Route path={pages.agent}>{chat}</Route>
            <Route path={pages.step}>{chat}</Route>
            <Route path={pages.fresh}>
              <ChatPage />
            </Route>
            <Route>
              <Redirect to={loadPage() === pages.start ? pages.fresh : loadPage()} replace />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  );
}
