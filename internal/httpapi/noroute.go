package httpapi

import (
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// noRoute answers requests that no route matches: 405 if the path has other
// methods, 404 if it has none.
func (s *server) noRoute(r *http.Request) (response, error) {
	allowed := s.allowed(r)
	if allowed == "" {
		return response{}, nestor.Errorf(nestor.CodeNotFound, "there is no %s %s", r.Method, r.URL.Path)
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		web.Write(w, http.StatusMethodNotAllowed, web.Failure{Error: web.ErrorText{
			Code: nestor.CodeInvalid, Message: "there is no " + r.Method + " " + r.URL.Path + "; there is " + allowed,
		}})
	}}, nil
}

// allowed are the methods that the path of a request has.
func (s *server) allowed(r *http.Request) string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		as := r.Clone(r.Context())
		as.Method = method
		if _, pattern := s.mux.Handler(as); strings.HasPrefix(pattern, method+" ") {
			methods = append(methods, method)
		}
	}
	return strings.Join(methods, ", ")
}
