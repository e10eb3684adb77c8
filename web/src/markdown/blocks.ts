/** A part of a Markdown text that means the same alone as in the whole. */
export interface Block {
  /** Its source. */
  text: string;
  /** What a fenced block of code holds, when the block is nothing else. */
  code?: { text: string; language: string; open: boolean };
}

/**
 * Cuts a Markdown text into blocks while it grows, so that only what is not
 * finished is parsed again: pieces of a text cost what they are long, not what
 * came before them.
 */
export class Blocks {
  /** Blocks that later text cannot change, and the text that they are of. */
  private done: Block[] = [];
  private settled = "";

  of(text: string): Block[] {
    if (text.slice(0, this.settled.length) !== this.settled) {
      this.done = [];
      this.settled = "";
    }
    const found = scan(text, this.settled.length);
    // A line that is not complete may yet turn out to continue the block before it.
    const tail = found.at(-1);
    const open = tail && !tail.block.text.includes("\n") ? 2 : 1;
    const fixed = found[found.length - open - 1];
    const all = [...this.done, ...found.map((f) => f.block)];
    if (fixed) {
      this.done = all.slice(0, all.length - open);
      this.settled = text.slice(0, fixed.end);
    }
    return all;
  }
}

interface Found {
  block: Block;
  end: number;
}

const fenceLine = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const itemLine = /^( {0,3}(?:[-+*]|\d{1,9}[.)])(?: {1,4}(?! )|(?= |\t|$)))/;
const displayLine = /^ {0,3}(\$\$|\\\[)/;

function scan(text: string, from: number): Found[] {
  const found: Found[] = [];
  let at = skipBlank(text, from);
  while (at < text.length) {
    const { block, end } = readBlock(text, at);
    found.push({ block, end });
    at = skipBlank(text, end);
  }
  return found;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (let end = lineEnd(text, at); at < text.length; at = end, end = lineEnd(text, at)) {
    if (text.slice(at, end).trim() !== "") {
      return at;
    }
  }
  return at;
}

/** Where the line that begins there ends, behind its line break. */
function lineEnd(text: string, at: number): number {
  const i = text.indexOf("\n", at);
  return i < 0 ? text.length : i + 1;
}

function readBlock(text: string, start: number): Found {
  const first = lineAt(text, start);
  const fence = fenceLine.exec(first);
  if (fence) {
    return readFence(text, start, fence);
  }
  if (opensDisplay(first)) {
    return readDisplay(text, start);
  }
  return readLines(text, start);
}

const lineAt = (text: string, at: number) => text.slice(at, lineEnd(text, at)).replace(/\r?\n$/, "");

function readFence(text: string, start: number, fence: RegExpExecArray): Found {
  const [, indent = "", marks = "", info = ""] = fence;
  const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
  const inside = lineEnd(text, start);
  let at = inside;
  while (at < text.length && !closing.test(lineAt(text, at))) {
    at = lineEnd(text, at);
  }
  const open = at >= text.length;
  const end = open ? at : lineEnd(text, at);
  const block: Block = { text: text.slice(start, end) };
  if (indent === "") {
    const language = info.trim().split(/\s/, 1)[0] ?? "";
    block.code = { text: text.slice(inside, at).replace(/\r?\n$/, ""), language, open };
  }
  return { block, end };
}

/** Whether a line begins a formula of several lines. One that closes in the same line is text like any other. */
function opensDisplay(line: string): boolean {
  const open = displayLine.exec(line);
  return open !== null && !line.slice(open[0].length).includes(open[1] === "$$" ? "$$" : "\\]");
}

function readDisplay(text: string, start: number): Found {
  const closer = lineAt(text, start).trimStart().startsWith("$$") ? "$$" : "\\]";
  let at = lineEnd(text, start);
  while (at < text.length && !lineAt(text, at).includes(closer)) {
    at = lineEnd(text, at);
  }
  const { end } = readLines(text, at);
  return { block: { text: text.slice(start, end) }, end };
}

/** Reads until a blank line behind which something new begins, or a fence that interrupts. */
function readLines(text: string, start: number): Found {
  let item = 0; // how far the lines of the list item are indented, 0 outside of lists
  let at = start;
  while (at < text.length) {
    const line = lineAt(text, at);
    if (line.trim() === "") {
      const next = skipBlank(text, at);
      if (next >= text.length || !continues(lineAt(text, next), item > 0)) {
        break;
      }
      at = next;
      continue;
    }
    if (at > start && interrupts(line, item)) {
      break;
    }
    item = itemLine.exec(line)?.[1]?.length ?? item;
    at = lineEnd(text, at);
  }
  return { block: { text: text.slice(start, at) }, end: at };
}

/** Whether a line behind a blank one belongs to what was before it. */
const continues = (line: string, inList: boolean) => /^[ \t]/.test(line) || (inList && itemLine.test(line));

function interrupts(line: string, item: number): boolean {
  const indent = line.length - line.trimStart().length;
  return (item === 0 || indent < item) && (fenceLine.test(line) || opensDisplay(line));
}
