/**
 * Work that need not be done at once: at once as long as it is little, else in
 * small turns, so that the page answers in between.
 */
const sliceMs = 8;
const queue: (() => void)[] = [];
let sliceBegan = 0;
let spent = 0;
let isPlanned = false;

/** Does it now or soon. What is returned takes it back, if it was not done yet. */
export function inTurn(work: () => void): () => void {
  const now = performance.now();
  if (now - sliceBegan > 2 * sliceMs) {
    sliceBegan = now;
    spent = 0;
  }
  if (queue.length === 0 && spent < sliceMs) {
    run(work);
    return () => {};
  }
  queue.push(work);
  plan();
  return () => {
    const i = queue.indexOf(work);
    if (i >= 0) {
      queue.splice(i, 1);
    }
  };
}

function next(): void {
  sliceBegan = performance.now();
  for (spent = 0; queue.length > 0 && spent < sliceMs; ) {
    run(queue.shift() as () => void);
  }
  isPlanned = false;
  if (queue.length > 0) {
    plan();
  }
}

function plan(): void {
  if (!isPlanned) {
    isPlanned = true;
    setTimeout(next);
  }
}

function run(work: () => void): void {
  const from = performance.now();
  work();
  spent += performance.now() - from;
}
