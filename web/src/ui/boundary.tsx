import { Component, type ReactNode } from "react";
import { Button } from "./button";
import { Notice } from "./notice";

interface Props {
  children: ReactNode;
}

/**
 * Says so when a part of the page cannot be shown. Mostly that is a file that a
 * newer server does not have any more: then loading the page anew helps.
 */
export class Boundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) {
      return this.props.children;
    }
    return (
      <div className="w-full max-w-xl space-y-3 p-4">
        <Notice text="This part of the page could not be shown. The server may have a newer one." />
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
    );
  }
}
