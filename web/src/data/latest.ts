/**
 * Runs work one at a time. Who asks while it runs gets a run that begins
 * afterwards, one for all of them: so the last answer is never older than the
 * last question.
 */
export function latest(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = () => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) {
      return run();
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
}
