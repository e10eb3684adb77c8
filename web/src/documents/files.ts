import { createDocument, type Text, type TextDocument } from "../api/documents";
import { save } from "../ui/save";
import { words } from "../words/documents";

/** The files that become documents. */
export const acceptedFiles = ".md,.markdown,.txt,text/markdown,text/plain";

/** The title of a text in Markdown: its first heading, or else the name of its file. */
export function titleOf(content: string, fileName: string): string {
  const heading = /^#{1,6}\s+(.+?)\s*#*\s*$/m.exec(content)?.[1];
  return (heading ?? fileName.replace(/\.(md|markdown|txt)$/i, "")).slice(0, 200).trim() || words.untitled;
}

export async function importFile(file: File): Promise<TextDocument> {
  const content = (await file.text()).replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  return createDocument({ title: titleOf(content, file.name), content });
}

/** A name that every system takes. */
export const fileName = (title: string) =>
  `${
    title
      .replace(/[\\/:*?"<>|\p{Cc}]+/gu, "-")
      .slice(0, 100)
      .trim() || "document"
  }.md`;

export function exportFile({ title, content }: Text): void {
  save(fileName(title), content, "text/markdown");
}
