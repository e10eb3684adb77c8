// Package export is the domain that writes a chat as a file: Markdown for people, JSON for
// programs. Texts are verbatim. What the caller may not read is not in it.
//
// A chat is written page by page as it is read, so the memory that it takes does not
// depend on how long the chat is, and no transaction waits for a slow reader. Messages
// do not change, so the pages fit together.
package export
