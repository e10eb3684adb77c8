import { apiPath } from "../base";
import { upload } from "./http";
import type { Part, Uploaded } from "./types";

/** Uploads a file, which messages can then name. */
export const uploadFile = (file: File) =>
  upload<Uploaded>(`/files?filename=${encodeURIComponent(file.name)}`, file);

/** Where the bytes of a file of one's own are, or of one that messages of a chat name. */
export const fileUrl = (id: string, chatId = "") =>
  chatId ? `${apiPath}/chats/${encodeURIComponent(chatId)}/files/${id}` : `${apiPath}/files/${id}/content`;

/** The part of a message that names an uploaded file. */
export function partOf(file: Uploaded, name: string): Part {
  const kind = file.mediaType.split("/")[0];
  const type = kind === "image" || kind === "audio" ? kind : "file";
  return { type, fileId: file.id, name, mediaType: file.mediaType, size: file.size };
}
