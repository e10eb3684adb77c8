// Package condense makes a conversation fit the model it is for.
//
// [Fit] is asked before every model call. Nearly always the conversation is
// below the threshold and passes as it is. Over it, in this order and only as
// far as needed:
//
//  1. Images and files in tool results that the model has seen are left out,
//     oldest first; the text of a result describes them.
//  2. A single message that could not even stand beside a summary is cut in the
//     middle; its head and its tail stay.
//  3. Large tool results that the model has seen are replaced by stubs, oldest
//     first, if the model can read them back with the tool read_result.
//  4. The oldest part is summarised by a model, together with the summary
//     before it, in chunks if it is too much for one call. What follows is kept
//     as it is: the last user turn (the last message of the user and all that
//     came after it) whole if it fits, otherwise its latest steps. A message of
//     the user that the summary covers and nothing newer replaces is quoted in it.
//  5. If even the last step is too much beside the summary, its texts,
//     arguments and results are cut in the middle.
//
// Steps 1, 2, 3 and 5 are views: they are made anew for every request and change
// nothing that is stored. Only a new summary is for the caller to keep. Given
// it and the turns after it, Fit needs no other one until they have grown.
//
// # What holds in every case
//
// The result fits. It fits if the summarising model fails, says nothing or does
// not stop talking (an outline of the messages takes the summary's place), if
// one message is larger than the window, and if hundreds of calls were made at
// once. Its minimum is one summary turn of up to 500 tokens: only if
// instruction and tools alone leave less than that, the result is above the
// threshold by what is missing.
//
// A call is never separated from its results, neither in the result nor in what
// is summarised. The one error there is, is the end of the context.
package condense
