// Package chatdoc is what all rooms know of the documents of a chat: where they lie,
// and how they are read and written.
package chatdoc
