// Package vector compares texts by their vectors: what is said in similar words
// points in a similar direction.
//
// [Lexical] makes vectors without a model: they know words, not meanings. [Index]
// searches the vectors of one user exactly, by looking at all of them.
package vector
