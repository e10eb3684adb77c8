import { named } from "../base";
import { channel, ownerId } from "./owner";
import { follow, type LiveEvent } from "./stream";

/**
 * One tab holds the stream for all tabs of its owner: connections are few.
 * When it goes away, another takes over. Where the browser has no locks (plain
 * HTTP at an address of the network), each tab has a stream of its own.
 *
 * `hold` is called in the tab that holds it, and again in the next.
 */
export function shareStream(emit: (event: LiveEvent) => void, hold: () => void): void {
  if (!("locks" in navigator)) {
    hold();
    follow(emit);
    return;
  }
  const others = channel("events");
  others.addEventListener("message", (e: MessageEvent<LiveEvent>) => emit(e.data));
  void navigator.locks.request(named(`nestor-stream/${ownerId()}`), () => {
    hold();
    follow((event) => {
      emit(event);
      others.postMessage(event);
    });
    return new Promise<never>(() => {}); // until the tab closes
  });
}
