// Package conversation is what a model sees. A [Dialogue] is a chat as the
// orchestrator sees it, [Messages] are what an agent heard and said. Both put things
// into the order in which they came to light and the latest summary in the place of
// what it covers.
//
// It also has the stored form of a model's calls, and the way back.
package conversation
