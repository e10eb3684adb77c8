import { named } from "../base";
import { everybodys, own, ownerId } from "./owner";

const nameKey = "copy";
/** How RxDB calls the databases of a browser that it keeps documents in. */
const prefix = "rxdb-dexie-";

/**
 * The name of the owner's copy of the documents, for schemas of which a hash is
 * given. One with other schemas is removed: everything can be had again.
 */
export async function nameCopy(hash: string): Promise<string> {
  const name = named(`nestor-${ownerId()}-${hash}`);
  if (own.get(nameKey) !== name) {
    dropCopy();
    await removeStrayCopies();
    own.set(nameKey, name);
  }
  return name;
}

/** Lets the next page begin with an empty copy. */
export const dropCopy = () => own.remove(nameKey);

/** Removes the copies that belong to nobody, because their owners signed out or began anew. */
export async function removeStrayCopies(): Promise<void> {
  const databases = await indexedDB.databases();
  const kept = everybodys(nameKey).map((name) => `${prefix}${name}--`); // a copy is named before it is made
  const names = databases.flatMap((d) => (d.name?.startsWith(prefix + named("nestor-")) ? [d.name] : []));
  await Promise.all(names.filter((n) => !kept.some((k) => n.startsWith(k))).map(removed));
}

/** A tab that has it open lets go of it, sooner or later. */
function removed(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = () => resolve();
  });
}
