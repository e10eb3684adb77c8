// Package apitest compares the answers of routes with the description of the API, for
// tests.
package apitest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Statuses are those that a description has for routes.
type Statuses struct {
	routes *http.ServeMux
	of     map[string]map[string]bool // by pattern
}

// Described reads the statuses of patterns in a description of the API.
func Described(description []byte, patterns []string) (*Statuses, error) {
	var doc struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal(description, &doc); err != nil {
		return nil, err
	}
	s := &Statuses{routes: http.NewServeMux(), of: map[string]map[string]bool{}}
	for _, pattern := range patterns {
		s.routes.Handle(pattern, http.NotFoundHandler())
		method, path, _ := strings.Cut(strings.ReplaceAll(pattern, "...}", "}"), " ")
		s.of[pattern] = map[string]bool{}
		for status := range doc.Paths[path][strings.ToLower(method)].Responses {
			s.of[pattern][status] = true
		}
	}
	return s, nil
}

// Pattern is that of the route that answers a request, "" if it is none of these.
func (s *Statuses) Pattern(r *http.Request) string {
	_, pattern := s.routes.Handler(r)
	return pattern
}

// Missing says what is not described about an answer of a route, "" if all is.
func (s *Statuses) Missing(pattern string, status int) string {
	key := strconv.Itoa(status)
	if status >= http.StatusInternalServerError {
		key = "5XX"
	}
	if known := s.of[pattern]; known == nil || known[key] || status == statusCancelled || status == http.StatusTemporaryRedirect {
		return ""
	}
	return pattern + " answers " + key
}

// statusCancelled is for a client that went away and does not see it. A redirect
// leads to the same address, spelled as it should be.
const statusCancelled = 499
