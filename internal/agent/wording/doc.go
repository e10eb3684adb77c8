// Package wording has the words in which people and models are told of tasks and
// failures: excerpts, one line of a text, the reason of a failure that anybody may
// read.
package wording
