// Package sharing is what people see and do in documents that several of them
// share.
//
// Whatever one of them writes goes through [Tx]: rules decide about it, it carries
// the writer's name, and a chat that leaves an account is noted for those who
// could see it there. A [Placer] gives new chats their account and project. Who
// keeps a copy of chats that are shared with them reads the changes from [Guard],
// which also tells what they no longer see.
package sharing
