package web

import (
	"context"
	"net/http"

	"github.com/nestorhq/nestor"
)

// requestIDHeader names a request, in what a client sends and in what it gets.
const requestIDHeader = "X-Request-Id"

// maxRequestID bounds the names that clients give.
const maxRequestID = 128

type requestIDKey struct{}

// NameRequests gives every request an id, the client's if it has a decent one.
// The answer carries it, and so does what is logged about the request.
func NameRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !isRequestID(id) {
			id = nestor.NewID()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// RequestID is the id of a request.
func RequestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}

// isRequestID accepts what reads the same in every log.
func isRequestID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}
