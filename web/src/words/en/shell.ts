export const shell = {
  skip: "Skip to the conversation",
  openMenu: "Open the menu",
  closeMenu: "Close the menu",
  loading: "Loading…",
  offline: "You are offline. This is what the browser has.",
  offlineWithUnsent: (count: number) =>
    `You are offline. This is what the browser has; ${
      count === 1 ? "a message is" : `${count} messages are`
    } sent when the server is back.`,
  refused: (text: string, why: string) => `“${text}” was not sent: ${why}`,
  look: "Look at it",
  dismiss: "Dismiss",
  notShown: (part: string) => `${part} could not be shown.`,
  outdated: "Part of this page is missing, perhaps because the server was updated. Reload the page.",
  tryAgain: "Try again",
  reload: "Reload the page",
  /** Parts of the UI, in "… could not be shown". */
  parts: { page: "The page", signin: "The page to sign in", chats: "The list of chats" },
};
