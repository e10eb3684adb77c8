/** What Tab and Enter do in a text: which part is replaced, by what, and what is selected then. */
export interface Edit {
  from: number;
  to: number;
  text: string;
  start: number;
  end: number;
}

const step = "  ";
const marker = /^(\s*)((?:[-*+]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?)?/i;

const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1;

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Indents the selected lines, or takes an indent back. Without a selection it fills up with blanks, but moves items of lists. */
export function indent(text: string, start: number, end: number, back: boolean): Edit {
  const from = lineStart(text, start);
  const isItem = Boolean(marker.exec(text.slice(from))?.[2]);
  if (start === end && !back && !isItem) {
    return { from: start, to: start, text: step, start: start + step.length, end: start + step.length };
  }
  // A selection that ends at the beginning of a line does not touch that line.
  const to = lineEnd(text, end > start && text[end - 1] === "\n" ? end - 1 : end);
  const before = text.slice(from, to).split("\n");
  const after = before.map((line) => (back ? line.replace(/^( {1,2}|\t)/, "") : line && step + line));
  const moved = (after[0]?.length ?? 0) - (before[0]?.length ?? 0);
  const joined = after.join("\n");
  return {
    from,
    to,
    text: joined,
    start: Math.max(from, start + moved),
    end: Math.max(from, end + joined.length - (to - from)),
  };
}

/** Begins a line as the one before does. An item without text ends its list. Undefined: a plain line. */
export function newLine(text: string, start: number, end: number): Edit | undefined {
  const from = lineStart(text, start);
  const [whole = "", blanks = "", mark = ""] = marker.exec(text.slice(from, start)) ?? [];
  if (mark && start === end && from + whole.length === start && lineEnd(text, start) === start) {
    return { from, to: start, text: "", start: from, end: from };
  }
  const next = mark.replace(/\d+/, (n) => String(Number(n) + 1)).replace(/\[x\]/i, "[ ]");
  if (!blanks && !next) {
    return undefined;
  }
  const added = `\n${blanks}${next}`;
  return { from: start, to: end, text: added, start: start + added.length, end: start + added.length };
}

/** Carries an edit out as if it were typed, so that it can be undone. */
export function type(area: HTMLTextAreaElement, edit: Edit): void {
  area.setSelectionRange(edit.from, edit.to);
  const done = edit.text
    ? document.execCommand("insertText", false, edit.text)
    : edit.from === edit.to || document.execCommand("delete");
  if (!done) {
    area.setRangeText(edit.text);
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  area.setSelectionRange(edit.start, edit.end);
}
