// Package tokens says how much of a model's context window a request takes.
//
// [Count] counts the tokens of a text: with the model's own vocabulary for
// models of OpenAI, by an estimate for all others. A [Meter] measures whole
// requests and corrects itself by the usage that providers report. [Window] is
// how much a model can take in.
package tokens
