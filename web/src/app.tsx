import { lazy, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { ApiError, onSignedOut } from "./api/http";
import { whoAmI } from "./api/me";
import { ChatPage } from "./chat/page";
import { loadPage, savePage } from "./data/settings";
import { start } from "./data/store";
import { pages, parsePlace } from "./place";
import { Shell } from "./shell";
import { SignIn } from "./signin";
import { Boundary } from "./ui/boundary";

const Operations = lazy(() => import("./operations/page"));

export function App() {
  const [signedOut, setSignedOut] = useState(false);
  useEffect(() => onSignedOut(() => setSignedOut(true)), []);
  useEffect(() => void begin(), []);
  return signedOut ? <SignIn /> : <Pages />;
}

let begun = false;

/** Once per page. A browser that is not signed in learns so from the first request. */
async function begin(): Promise<void> {
  if (begun) {
    return;
  }
  begun = true;
  try {
    await whoAmI();
  } catch (e) {
    if (e instanceof ApiError && e.status === 401) {
      return;
    }
  }
  start();
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
      <Boundary key={path.split("/")[1]}>
        <Suspense fallback={<p className="p-8 text-faint">Loading…</p>}>
          <Switch>
            <Route path={pages.operations}>
              <Operations />
            </Route>
            <Route path={pages.tab}>{({ tab }) => <Operations tab={tab} />}</Route>
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
