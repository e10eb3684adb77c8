/** The end of a text that grows, for one line: whole words, the newest included. */
export function ticker(text: string, most = 160): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) {
    return line;
  }
  const end = line.slice(-most);
  const word = end.indexOf(" ");
  return `… ${word < 0 ? end : end.slice(word + 1)}`;
}
