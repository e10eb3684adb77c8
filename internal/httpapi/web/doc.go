// Package web is what the server does with any request, whatever it is about: ids
// for the log, headers that keep browsers safe, refusal of what other sites send,
// compression, limits, and errors as answers. It knows callers but no documents.
package web
