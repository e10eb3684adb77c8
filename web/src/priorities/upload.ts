import { getMe } from "../api/calls";
import { ApiError, failureOf } from "../api/http";
import { apiPath } from "../base";
import { ownerId } from "../data/owner";
import { words } from "../words/priorities";

/** The files that become documents. */
export const acceptedFiles = ".md,.markdown,.txt,.docx,.pdf";

/** Sends a file and tells how much of it is there, from 0 to 1. */
export async function upload(file: File, onProgress: (share: number) => void): Promise<void> {
  try {
    await send(file, onProgress);
  } catch (e) {
    if (!(e instanceof ApiError) || e.status !== 401) {
      throw e;
    }
    await getMe(); // goes on with a session that has expired
    await send(file, onProgress);
  }
}

/** Only this way a browser tells how far a request is. */
function send(file: File, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (e) => {
      if (e.lengthComputable) {
        onProgress(e.loaded / e.total);
      }
    });
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) {
        resolve();
      } else {
        reject(failureOf(request.status, parsed(request.responseText)));
      }
    });
    request.addEventListener("error", () => reject(new ApiError("offline", 0, words.upload.unreachable)));
    request.open("POST", `${apiPath}/documents`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Nestor-User", ownerId());
    const form = new FormData();
    form.append("file", file);
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The title of a text: its first line, without the marks of Markdown. */
export function titleOf(text: string): string {
  const line = text.split("\n").find((l) => l.trim()) ?? "";
  return (
    line
      .replace(/^[#>\s*-]*(\[[ x]\])?\s*/i, "")
      .slice(0, 80)
      .trim() || words.upload.note
  );
}
