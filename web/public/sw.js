// Lets the page open without the server: this keeps what it is made of. What it
// shows, it keeps itself; see src/data/replica.ts.
/** Where a proxy has the server; servers at other paths of the same origin keep what is theirs. */
const page = new URL("./", self.location).pathname;
/** Named by their content; the build fills them in. The first are kept ahead, the others when they were used. */
const files = [];
const onDemand = [];
const [ahead, used] = [files, onDemand].map((names) => names.map((name) => page + name));
const shell = caches.open(page === "/" ? "nestor-shell" : `${page.slice(1)}nestor-shell`);

self.addEventListener("install", (event) => {
  event.waitUntil(shell.then((cache) => cache.addAll([page, ...ahead])));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOthers());
});

/** What older builds consist of is gone from the server, too. */
async function removeOthers() {
  const cache = await shell;
  const kept = new Set([page, ...ahead, ...used]);
  const others = (await cache.keys()).filter((r) => !kept.has(new URL(r.url).pathname));
  await Promise.all(others.map((r) => cache.delete(r)));
}

self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.destination === "document") {
    event.respondWith(fetch(event.request).catch(() => kept(page)));
  } else if (ahead.includes(pathname)) {
    event.respondWith(kept(pathname).then((response) => response ?? fetch(event.request)));
  } else if (used.includes(pathname)) {
    event.respondWith(kept(pathname).then((response) => response ?? keep(event.request)));
  }
});

async function keep(request) {
  const response = await fetch(request);
  if (response.ok) {
    await (await shell).put(request, response.clone());
  }
  return response;
}

const kept = async (name) => (await shell).match(name);
