/**
 * Text that is still being written, with bold and code that are open closed at
 * its end, and of a link only its words, so that marks are not seen before they
 * mean something.
 */
export function closed(text: string): string {
  if ((text.match(/^ *```/gm)?.length ?? 0) % 2 === 1) {
    return text; // inside a block of code everything is meant as it is
  }
  const link = /!?\[([^\]\n]*)\]\([^)\s]*$/.exec(text);
  if (link) {
    return text.slice(0, link.index) + (link[0].startsWith("!") ? "" : link[1]);
  }
  const paragraph = text.slice(text.lastIndexOf("\n\n") + 1);
  for (const mark of ["`", "**"]) {
    if (paragraph.split(mark).length % 2 === 0) {
      return paragraph.endsWith(mark) ? text.slice(0, -mark.length) : text.trimEnd() + mark;
    }
  }
  return text;
}
