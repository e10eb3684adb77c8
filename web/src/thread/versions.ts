import type { Chat, Message } from "../api/types";

/** Forks by the message in whose place they begin, oldest first. */
export type Places = ReadonlyMap<string, readonly Chat[]>;

const place = (chatId: string, messageId: string) => `${chatId}/${messageId}`;

export function placesOf(chats: readonly Chat[]): Places {
  const found = new Map<string, Chat[]>();
  for (const chat of chats) {
    const { insteadIn, insteadOf } = chat.forkedFrom ?? {};
    if (insteadIn && insteadOf) {
      const at = place(insteadIn, insteadOf);
      found.set(at, [...(found.get(at) ?? []), chat]);
    }
  }
  for (const list of found.values()) {
    list.sort((a, b) => a.createdAt - b.createdAt || a.createdSeq - b.createdSeq);
  }
  return found;
}

/**
 * The chats that say something in the place of a message, in order, and the one where it was
 * said first, if it is still there. Shown is the chat in which it is read, and begins the
 * first message that a person said in that chat.
 */
export function versionsOf(
  message: Message,
  places: Places,
  shown: Chat | undefined,
  begins: string | undefined,
  find: (chatId: string) => Chat | undefined,
): readonly Chat[] {
  const from = shown?.forkedFrom;
  const first = message.id === begins && message.chatId === shown?.id;
  const [chatId, messageId] =
    first && from?.insteadIn && from.insteadOf
      ? [from.insteadIn, from.insteadOf]
      : [message.chatId, message.id];
  const forks = places.get(place(chatId, messageId)) ?? [];
  // What a fork shares is read in the fork: there it is the first version.
  const original = first && from?.insteadOf ? find(chatId) : shown;
  return forks.length && original && !forks.includes(original) ? [original, ...forks] : forks;
}
