// Package record holds the records that are stored: text documents with versions,
// immutable threads of messages, chats about them, and settings. All are documents
// of one user.
package record
