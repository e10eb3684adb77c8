// Package ask asks a model once: it opens the model, makes the conversation fit,
// reserves what the call may need, shows what is said as it comes, continues a reply
// that a limit cut off, and says what it all took.
//
// A model that declines is an error, a [Refusal]. So is an interruption: a
// [Partial] if the model had said something. Both hold what was said, which is
// paid for; [Unanswered] says what comes of them.
package ask
