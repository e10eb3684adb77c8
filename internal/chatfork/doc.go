// Package chatfork is what forks of chats share with the chats that they come from.
//
// What was said in a fork is its own messages below those that it shares. The shared
// ones lie in other chats, or are kept below the fork; either way who may read the
// fork may read them, since only the server says what a fork shares.
//
// Deleting a chat never takes from a fork what it shares. Whoever deletes it, the same
// transaction copies the shared messages to below one fork of each user, and has the
// user's other forks read them there: what is written depends on what is shared, not on how
// many forks there are, of which a chat has [MaxForks] at most. The store asks for it before every delete ([store.Collection.BeforeDelete]),
// so that no way to delete a chat goes around it: not a request, not retention, not the
// end of a user.
//
// A fork and a delete at the same time meet at the chat's row: the note about the fork
// lies below the chat, so the database lets it in before the delete has read the notes,
// or not at all.
package chatfork
