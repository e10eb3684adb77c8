/**
 * How well a name fits what somebody typed: all words must occur in it, or their letters in order.
 * Higher is better; 0 is not at all.
 */
export function fits(name: string, typed: string): number {
  const [text, wanted] = [name.toLowerCase(), typed.trim().toLowerCase()];
  if (wanted === "") {
    return 1;
  }
  if (text.startsWith(wanted)) {
    return 5;
  }
  const words = wanted.split(/\s+/);
  if (words.every((w) => startsWord(text, w))) {
    return 4;
  }
  if (words.every((w) => text.includes(w))) {
    return 3;
  }
  return words.every((w) => inOrder(text, w)) ? 2 : 0;
}

const startsWord = (text: string, word: string) =>
  text.startsWith(word) || text.includes(` ${word}`) || text.includes(`-${word}`);

/** Whether the letters of a word occur in this order, close together: within three times its length. */
function inOrder(text: string, word: string): boolean {
  for (let from = text.indexOf(word[0] ?? ""); from >= 0; from = text.indexOf(word[0] ?? "", from + 1)) {
    let at = from;
    for (const letter of word.slice(1)) {
      at = at < 0 ? at : text.indexOf(letter, at + 1);
    }
    if (at >= 0 && at - from < word.length * 3) {
      return word.length > 2;
    }
  }
  return false;
}
