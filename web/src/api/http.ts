import { apiPath, named } from "../base";
import { ownerId } from "../data/owner";

/** A failure as the server words it, or "offline" when there is no server. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** What programs can tell failures by, such as the field that is wrong. */
  readonly details: Readonly<Record<string, unknown>>;
  /** In how many seconds the server wants to be asked again, if it says so. */
  readonly retryAfter: number | undefined;

  constructor(
    code: string,
    status: number,
    message: string,
    details: Record<string, unknown> = {},
    retryAfter?: number,
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Calls fn whenever the session of the page's owner is over. */
export function onSignedOut(fn: Listener): () => void {
  signedOut.add(fn);
  return () => signedOut.delete(fn);
}

/** With a version, the server refuses to change what has another one by now. */
export const request = <T>(method: string, path: string, body?: unknown, version?: number): Promise<T> =>
  insist<T>(path, () => send(method, path, body, version));

/** Sends a file. */
export const upload = <T>(path: string, file: Blob): Promise<T> =>
  insist<T>(path, () => send("POST", path, file));

/** Sends a request, and once more if the session had to be renewed. */
async function insist<T>(path: string, attempt: () => Promise<Response>): Promise<T> {
  await endLeftSession();
  let response = await attempt();
  if (response.status === 401 && path !== "/login") {
    if (await renewed()) {
      response = await attempt();
    } else {
      for (const fn of signedOut) {
        fn();
      }
    }
  }
  if (!response.ok) {
    throw await failure(response);
  }
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function send(method: string, path: string, body: unknown, version?: number): Promise<Response> {
  // The server refuses what a page asks for when somebody else is signed in by now.
  const headers: Record<string, string> = ownerId() ? { "Nestor-User": ownerId() } : {};
  if (version !== undefined) {
    headers["If-Match"] = `"${version}"`;
  }
  const init: RequestInit = { method, headers: { Accept: "application/json", ...headers } };
  if (body instanceof Blob) {
    init.headers = { ...init.headers, "Content-Type": body.type || "application/octet-stream" };
    init.body = body;
  } else if (method !== "GET") {
    init.headers = { ...init.headers, "Content-Type": "application/json" };
    init.body = JSON.stringify(body ?? {});
  }
  try {
    return await fetch(`${apiPath}${path}`, init);
  } catch {
    throw new ApiError("offline", 0, "The server cannot be reached.");
  }
}

let renewal: Promise<boolean> | undefined;

/** Goes on with the session, once for all requests that found it expired. */
function renewed(): Promise<boolean> {
  renewal ??= (
    "locks" in navigator ? navigator.locks.request(named("nestor-renewal"), renew) : renew()
  ).finally(() => {
    renewal = undefined;
  });
  return renewal;
}

/** What renews a session does so once, and the second time ends it: another tab may have been faster. */
async function renew(): Promise<boolean> {
  const known = async () => (await send("GET", "/me", undefined)).ok;
  return (await known()) || ((await send("POST", "/refresh", {})).ok && (await known()));
}

const leftKey = named("nestor.left");

/** Ends the session of this browser: now, or before anything else is asked when there is a server again. */
export async function endSession(): Promise<void> {
  localStorage.setItem(leftKey, "yes");
  await endLeftSession().catch(() => {});
}

async function endLeftSession(): Promise<void> {
  if (localStorage.getItem(leftKey)) {
    const response = await send("POST", "/logout", {});
    if (!response.ok) {
      throw await failure(response);
    }
    localStorage.removeItem(leftKey);
  }
}

const failure = async (response: Response): Promise<ApiError> =>
  failureOf(
    response.status,
    await response.json().catch(() => null),
    Number.parseInt(response.headers.get("Retry-After") ?? "", 10),
  );

interface Envelope {
  error?: { code: string; message: string; details?: Record<string, unknown> };
}

/** The failure that an answer with this status and body tells, and in how many seconds to ask again. */
export function failureOf(status: number, body: unknown, retryAfter = Number.NaN): ApiError {
  const error = (body as Envelope | null)?.error;
  if (error) {
    const wait = retryAfter >= 0 ? retryAfter : undefined;
    return new ApiError(error.code, status, error.message, error.details, wait);
  }
  const gone = status >= 502 && status <= 504;
  return new ApiError(
    gone ? "offline" : "internal",
    status,
    gone ? "The server cannot be reached." : `The server answered ${status}.`,
  );
}

/** The words to show for whatever was thrown. */
export function explain(error: unknown): string {
  if (error instanceof ApiError && error.code === "rate_limited" && error.retryAfter) {
    const wait = error.retryAfter === 1 ? "a second" : `${error.retryAfter} seconds`;
    return `${error.message} (the server can be asked again in ${wait})`;
  }
  return error instanceof Error ? error.message : String(error);
}
