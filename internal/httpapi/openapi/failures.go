package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// failures are the statuses that a route answers with when it fails. Tests
// compare every answer with them. 500 stands for all that are not the request's
// fault.
func (r Route) failures() []int {
	method, path, _ := strings.Cut(r.Pattern, " ")
	guarded, writes := !r.Open, !web.IsSafe(method) && !r.Reads
	names := strings.Contains(path, "{")
	found := map[int]bool{
		http.StatusBadRequest:            guarded || names || r.Query != nil || r.Body != nil || r.Upload > 0 || r.IfMatch || r.Repeatable,
		http.StatusUnauthorized:          guarded,
		http.StatusForbidden:             true, // also for a host that is not the server's, and for pages of other sites
		http.StatusNotFound:              names || r.Judged && writes,
		http.StatusConflict:              writes,
		http.StatusPreconditionFailed:    r.IfMatch,
		http.StatusRequestEntityTooLarge: r.Body != nil || r.Upload > 0,
		http.StatusTooManyRequests:       true, // also for an answer that is large, if much is on its way already
		http.StatusInternalServerError:   true,
	}
	for _, status := range r.Fails {
		found[status] = true
	}
	for _, reason := range r.Reasons {
		found[reason.Status] = true
	}
	maps.DeleteFunc(found, func(_ int, answered bool) bool { return !answered })
	return slices.Sorted(maps.Keys(found))
}

// statusKey is a status as OpenAPI has it.
func statusKey(status int) string {
	if status >= http.StatusInternalServerError {
		return "5XX"
	}
	return strconv.Itoa(status)
}

// failureName is the name of the answers with a status.
func failureName(status int) string {
	if status >= http.StatusInternalServerError {
		return "ServerError"
	}
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}

// failureResponses are the answers of failures, by their names.
func failureResponses() map[string]any {
	codes := map[string][]string{}
	for code, status := range web.Statuses {
		codes[failureName(status)] = append(codes[failureName(status)], string(code))
	}
	conflict := failureName(http.StatusConflict) // the status of a conflict if no If-Match was sent
	codes[conflict] = append(codes[conflict], string(nestor.CodeConflict))
	all := map[string]any{}
	for name, codes := range codes {
		if name == "" { // a request that was cancelled, which nobody waits for
			continue
		}
		slices.Sort(codes)
		r := map[string]any{
			"description": "The code is " + strings.Join(codes, " or ") + ".",
			"content":     map[string]any{"application/json": map[string]any{"schema": Ref("Error")}},
		}
		if name == failureName(http.StatusTooManyRequests) {
			r["headers"] = map[string]any{"Retry-After": map[string]any{
				"description": "How many seconds to wait.", "schema": map[string]any{"type": "integer"},
			}}
		}
		all[name] = r
	}
	return all
}

// failure describes how a route fails with a status.
func (r Route) failure(status int) map[string]any {
	var texts []string
	for _, reason := range r.Reasons {
		if reason.Status == status {
			text := reason.When
			if reason.Reason != "" {
				text = fmt.Sprintf("details.reason is %s: %s", reason.Reason, reason.When)
			}
			texts = append(texts, text)
		}
	}
	if texts == nil {
		return map[string]any{"$ref": "#/components/responses/" + failureName(status)}
	}
	return map[string]any{
		"description": strings.Join(texts, " "),
		"content":     map[string]any{"application/json": map[string]any{"schema": Ref("Error")}},
	}
}
