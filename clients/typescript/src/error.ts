import type { ErrorCode } from "./api.js";

/** A call that failed. */
export class NestorError extends Error {
  override readonly name = "NestorError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** The status of the answer, 0 if there was none. */
    readonly status: number,
    readonly details: Record<string, unknown> = {},
    /** In how many milliseconds the server wants to be asked again, if it says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  /** Whether the same call may succeed later. */
  get temporary(): boolean {
    return this.code === "unavailable" || this.code === "timeout" || this.code === "rate_limited";
  }

  /** The error that an answer describes. */
  static async of(response: Response): Promise<NestorError> {
    try {
      const { error } = (await response.json()) as {
        error: { code: ErrorCode; message: string; details?: Record<string, unknown> };
      };
      const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
      return new NestorError(error.code, error.message, response.status, error.details, seconds >= 0 ? seconds * 1000 : undefined);
    } catch {
      // Something in between answered, such as a proxy.
      const code = response.status >= 500 ? "unavailable" : "invalid";
      return new NestorError(code, `what answers is not a Nestor server: ${response.status}`, response.status);
    }
  }
}
