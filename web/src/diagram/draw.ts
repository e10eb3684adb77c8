import { base } from "../base";
import { words } from "../words";
import { type Answer, type Order, ready } from "./protocol";

const say = words.render.diagram;

const longest = 50_000;
const patienceMs = 20_000;

interface Frame {
  element: HTMLIFrameElement;
  /** Those who wait for an answer, by the number of their order. */
  waiting: Map<number, (answer: Answer) => void>;
  ready: Promise<void>;
}

let frame: Frame | undefined;
let orders = 0;

/** Draws a diagram. The result is the address of a picture. */
export async function draw(source: string, dark: boolean): Promise<string> {
  if (source.length > longest) {
    throw new Error(say.tooLong);
  }
  frame ??= open();
  const mine = frame;
  const answer = await inTime(ask(mine, source, dark)).catch((e) => {
    close(mine); // it may never answer again: the next diagram gets a new one
    throw e;
  });
  if ("error" in answer) {
    throw new Error(answer.error);
  }
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.svg)}`;
}

async function ask(to: Frame, source: string, dark: boolean): Promise<Answer> {
  await to.ready;
  const order: Order = { id: ++orders, source, dark };
  return new Promise((resolve) => {
    to.waiting.set(order.id, resolve);
    to.element.contentWindow?.postMessage(order, "*");
  });
}

function open(): Frame {
  const element = document.createElement("iframe");
  element.setAttribute("sandbox", "allow-scripts");
  element.setAttribute("aria-hidden", "true");
  element.tabIndex = -1;
  element.title = say.frame;
  // It has a size, for texts in diagrams to be measured, and is out of sight.
  element.className = "pointer-events-none invisible fixed top-0 left-[-2000px] h-[800px] w-[1000px]";
  const waiting: Frame["waiting"] = new Map();
  const isReady = new Promise<void>((resolve) => {
    addEventListener("message", ({ source, data }: MessageEvent<Answer | typeof ready>) => {
      if (source !== element.contentWindow || source === null) {
        return;
      }
      if (data === ready) {
        resolve();
        return;
      }
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    });
  });
  element.src = `${base}/diagram.html`;
  document.body.append(element);
  return { element, waiting, ready: isReady };
}

function close(which: Frame): void {
  which.element.remove();
  if (frame === which) {
    frame = undefined;
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(say.tooSlow)), patienceMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
