// Package runtimedoc decides which documents of the runtime somebody outside of it may
// write, and how: chats, messages, tasks, agents, their messages and their tool calls.
//
// The runtime writes them itself. A person, with a browser or a key, creates chats,
// changes the fields of a chat that are for people, says something under their own name,
// and deletes chats; all else they have done by verbs, such as POST …/tasks/{id}/cancel,
// which check. A program in the place of a stage writes through a door of its own: the
// document whose change it was told of ([access.Grant.Of]) says which stage it is, and
// the [stages] table says what that stage may write. The bearer of NESTOR_TOKEN may write
// what any stage may, in every chat.
//
// No access rule widens this. It follows that nobody outside writes fields that say who
// did something, what was decided, or what it cost, and that a document which another one
// names is there before that one, in the same chat, and named for good. So agents and
// tasks form trees and no circles.
package runtimedoc
