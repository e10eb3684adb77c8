// Package sharing is what people see and do in documents that several of them
// share.
//
// Whatever one of them writes goes through [Tx]: rules decide about it, it
// carries the writer's name, and a chat that leaves an account is noted for
// those who could see it there. A [Placer] gives new chats their account and
// project. A client that keeps a copy of shared chats reads the changes from
// [Guard], which also tells what its user no longer sees.
package sharing
