import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Where a server is found, whichever port it has. A server that is started again takes another port; this one stays
 * taken meanwhile, so that nobody else gets it, and connections to it are reset.
 */
export class Address {
  #port: number | undefined;
  #open = new Set<Socket>();
  #listener = createServer((socket) => this.#accept(socket));

  /** Lets connections reach the port of a server, and returns the URL at which they arrive. */
  async leadTo(port: number): Promise<string> {
    this.#port = port;
    if (!this.#listener.listening) {
      await new Promise<void>((resolve) => this.#listener.listen(0, "127.0.0.1", resolve));
    }
    return `http://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
  }

  leadNowhere(): void {
    this.#port = undefined;
  }

  close(): void {
    this.#listener.close();
    for (const socket of this.#open) {
      socket.destroy();
    }
  }

  #accept(socket: Socket): void {
    if (this.#port === undefined) {
      socket.resetAndDestroy();
      return;
    }
    const server = connect(this.#port, "127.0.0.1");
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      this.#open.add(one);
      one.setNoDelay(true);
      one
        .on("error", () => other.destroy())
        .on("close", () => {
          this.#open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  }
}
