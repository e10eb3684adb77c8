// Package ask asks a model once: it opens the model, makes the conversation fit,
// reserves what the call may need, shows what is said as it comes, continues a reply
// that a limit cut off, and says what it all took.
//
// That a model declined is an error, a [Refusal]; that it was interrupted is one,
// too, a [Partial] if it had said something. Both hold what was said, which is paid
// for.
package ask
