import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { ChatPage } from "./chat/page";
import { begin, type Who } from "./data/begin";
import { loadPage, savePage } from "./data/settings";
import { pages, parsePlace } from "./place";
import { Shell } from "./shell";
import { SignIn } from "./signin";
import { Boundary } from "./ui/boundary";

const GraphEditor = lazy(() => import("./graphs/editor"));
const Graphs = lazy(() => import("./graphs/page"));
const Operations = lazy(() => import("./operations/page"));
const Priorities = lazy(() => import("./priorities/page"));
const Documents = lazy(() => import("./documents/page"));

/** Nothing is shown before it is known to whom. */
export function App() {
  const [who, setWho] = useState<Who>("asking");
  useEffect(() => {
    void begin().then(setWho);
  }, []);
  switch (who) {
    case "asking":
      return null;
    case "nobody":
      return (
        <Boundary what="The page to sign in">
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
      <Boundary key={place?.chatId ?? path.split("/")[1]} what="The page">
        <Suspense fallback={<p className="p-8 text-faint">Loading…</p>}>
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
