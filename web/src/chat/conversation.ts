import { createContext, useContext } from "react";
import type { Chat, Message, Part } from "../api/types";

/** What a person says: a text, and with files the parts that are all of it. */
export interface Words {
  content: string;
  parts?: readonly Part[];
}

/** What rows of a chat can do about the chat that they are shown in. */
export interface Conversation {
  chatId: string;
  /** Finds a message of the chat, or one that it shares with another. */
  find: (messageId: string) => Message | undefined;
  /** Puts a text into the line in which one writes. */
  quote: (text: string) => void;
  /** Says something in the place of a message, and of all that came after it, in a fork. */
  sayInstead: (messageId: string, said: readonly Words[]) => void;
  /** The chats that have something else in the place of a message, this chat and the first one among them. */
  versions: (message: Message) => readonly Chat[];
}

const Context = createContext<Conversation>({
  chatId: "",
  find: () => undefined,
  quote: () => {},
  sayInstead: () => {},
  versions: () => [],
});

export const ConversationContext = Context.Provider;
export const useConversation = () => useContext(Context);

/** The chat that is shown. What a fork shares is said in another one, and read in this one. */
export const useChatId = () => useConversation().chatId;
