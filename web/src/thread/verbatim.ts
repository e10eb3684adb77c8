/** A piece of a text: words, or an address that can be opened. */
export interface Piece {
  text: string;
  link?: boolean;
}

const address = /https?:\/\/[^\s<>"“”]+/g;
const closing: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/** A text in pieces. Together they are the text, character for character. */
export function pieces(text: string): Piece[] {
  const list: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(address)) {
    const link = withoutSentence(found[0]);
    if (!/^https?:\/\/[^/?#]/.test(link)) {
      continue;
    }
    if (found.index > end) {
      list.push({ text: text.slice(end, found.index) });
    }
    list.push({ text: link, link: true });
    end = found.index + link.length;
  }
  if (end < text.length) {
    list.push({ text: text.slice(end) });
  }
  return list;
}

/** An address without the marks after it that belong to the sentence. */
function withoutSentence(link: string): string {
  const last = link.at(-1) ?? "";
  const opening = closing[last];
  const unopened = opening && link.split(opening).length < link.split(last).length;
  return /[.,;:!?'*_]/.test(last) || unopened ? withoutSentence(link.slice(0, -1)) : link;
}

/** How much of a long text is shown before one wants all of it, in lines and in characters. */
const most = { lines: 30, characters: 4000 };
const shown = { lines: 12, characters: 1600 };

/** A long text: its beginning, and how long all of it is. */
export interface Long {
  head: string;
  lines: number;
  characters: number;
}

/** The beginning of a text that is too long to be shown at once; undefined for others. */
export function long(text: string): Long | undefined {
  const lines = countLines(text);
  if (lines <= most.lines && text.length <= most.characters) {
    return undefined;
  }
  let end = 0;
  for (let n = 0; n < shown.lines; n++) {
    const next = text.indexOf("\n", end);
    if (next < 0 || next > shown.characters) {
      break;
    }
    end = next + 1;
  }
  const head = end > 0 ? text.slice(0, end - 1) : cut(text, shown.characters);
  return { head, lines, characters: text.length };
}

function countLines(text: string): number {
  let n = 1;
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) {
    n++;
  }
  return n;
}

/** The beginning of a text, without half a character at its end. */
function cut(text: string, length: number): string {
  const half = /[\uD800-\uDBFF]/.test(text[length - 1] ?? "");
  return text.slice(0, half ? length - 1 : length);
}

/**
 * Whether the columns of a text mean something, as in code and in tables: it is then shown
 * in letters of one width. It looks at the beginning only.
 */
export function isAligned(text: string): boolean {
  const lines = text.slice(0, 20_000).split("\n", 200);
  if (lines.length < 2) {
    return false;
  }
  const count = (form: RegExp) => lines.filter((l) => form.test(l)).length;
  return (
    count(/^\s*```/) > 0 ||
    count(/\S\t+\S/) >= 2 ||
    count(/\S {3,}\S/) >= 2 ||
    count(/^\s*[|+┌├└│╔╠╚║].*[|+┐┤┘│╗╣╝║]\s*$/u) >= 2 ||
    (count(/^(\t| {2,})\S/) >= 1 && count(/[;{}()[\]:=>]\s*$/) >= 2)
  );
}

/**
 * The direction in which a text is written, by its first letter. The browser's own way to find it
 * takes minutes for a field with megabytes.
 */
export function directionOf(text: string): "rtl" | "ltr" {
  const first = /\p{L}/u.exec(text.slice(0, 1000))?.[0] ?? "";
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first)
    ? "rtl"
    : "ltr";
}

/** A text as a quote of it, for the answer to it. */
export const quoted = (text: string) => `${text.trimEnd().replace(/^/gm, "> ")}\n\n`;
