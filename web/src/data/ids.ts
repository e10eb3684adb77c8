const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** A new id, in the form and nearly in the order of those the server makes. */
export function newId(): string {
  const random = crypto.getRandomValues(new Uint8Array(12));
  const time = Date.now().toString(32).padStart(9, "0");
  return time + Array.from(random, (b) => alphabet[b % 32]).join("");
}
