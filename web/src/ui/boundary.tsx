import { Component, type ReactNode } from "react";
import { explain } from "../api/http";
import { words } from "../words";
import { Button } from "./button";

const say = words.shell;

interface Props {
  /** What it is that could not be shown, as the beginning of a sentence. */
  what: string;
  children: ReactNode;
}

/**
 * Holds a part of the page that may fail, so that the rest of it stays. It says
 * what happened and lets the person try again.
 *
 * It is built of next to nothing: what it shows must not fail for the same reason.
 */
export class Boundary extends Component<Props, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(explain(error)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) {
      return this.props.children;
    }
    return (
      <div role="alert" className="m-2 max-w-xl rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad">
        <p className="font-medium">{say.notShown(this.props.what)}</p>
        <p className="mt-0.5 break-words">{isMissing(error) ? say.outdated : error.message}</p>
        <div className="mt-2 flex flex-wrap gap-2 text-ink">
          <Button onClick={() => this.setState({ error: undefined })}>{say.tryAgain}</Button>
          <Button onClick={() => location.reload()}>{say.reload}</Button>
        </div>
      </div>
    );
  }
}

/** Whether it is about a file, as browsers word it: a newer server does not have those of the one before. */
const isMissing = (error: Error) => /dynamically imported|importing a module|preload/i.test(error.message);
