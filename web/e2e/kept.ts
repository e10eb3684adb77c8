import type { Page } from "@playwright/test";

/** Everything that the browser keeps, wherever a page can keep something, by place. */
const all = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const places: Record<string, string> = {
      local: JSON.stringify({ ...localStorage }),
      session: JSON.stringify({ ...sessionStorage }),
      cookie: document.cookie,
    };
    for (const { name = "" } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name));
      places[name] = name; // it may be empty and still tell whose it was
      for (const store of db.objectStoreNames) {
        places[name] += JSON.stringify(await done(db.transaction(store).objectStore(store).getAll()));
      }
      db.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        places[request.url] = (await (await cache.match(request))?.text()) ?? "";
      }
    }
    return places;
  });

/** All of it as text to look for words in. */
export const kept = async (page: Page): Promise<string> => Object.values(await all(page)).join("\n");

/** Where the browser keeps something with these words. */
export const placesOf = async (page: Page, words: RegExp): Promise<string[]> =>
  Object.entries(await all(page)).flatMap(([place, text]) => (words.test(text) ? [place] : []));
