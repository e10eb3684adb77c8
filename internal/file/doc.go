// Package file is what users attach to messages, and what tools return.
//
// A [nestor.File] says what a user has; its bytes lie in a storage ([filestore]). A
// message names files in its parts. The transaction that writes such a message, whoever
// writes it and however, checks that the file is there and notes below the chat that the
// chat has it ([nestor.ChatFile]); the file counts these notes. So:
//
//   - Who may read a chat may read the files that its messages name.
//   - A message never names a file that is gone: the transaction writes the file's
//     document, as does the one that removes a file that nobody names, so one of the two
//     comes first and the other sees it.
//   - Who names a file has it: it is their own, or the chat has it already.
//
// The note goes with the last message of the chat that names the file, and the file with
// its last note. A file that no message has named is removed some time after its upload.
// The bytes go after the document, by a job; bytes without a document, as a process that
// was killed leaves them, are removed by a sweep.
package file
