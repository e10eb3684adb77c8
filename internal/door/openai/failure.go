package openai

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// failure is an error in OpenAI's form.
type failure struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// kinds are the types and codes of OpenAI's errors, by ours.
var kinds = map[nestor.Code]struct{ kind, code string }{
	nestor.CodeInvalid:         {"invalid_request_error", ""},
	nestor.CodeUnauthenticated: {"invalid_request_error", "invalid_api_key"},
	nestor.CodeForbidden:       {"invalid_request_error", "insufficient_permissions"},
	nestor.CodeNotFound:        {"invalid_request_error", "not_found"},
	nestor.CodeExists:          {"invalid_request_error", "conflict"},
	nestor.CodeConflict:        {"invalid_request_error", "conflict"},
	nestor.CodeTooLarge:        {"invalid_request_error", "request_too_large"},
	nestor.CodeRateLimited:     {"rate_limit_error", "rate_limit_exceeded"},
	nestor.CodeOverBudget:      {"insufficient_quota", "insufficient_quota"},
}

// fail writes an error. Its details may name the field and OpenAI's code.
func fail(w http.ResponseWriter, _ *http.Request, refused httpapi.Refused) {
	is := kinds[refused.Code]
	field, _ := refused.Details["field"].(string)
	code, _ := refused.Details["code"].(string)
	if refused.Code == nestor.CodeExists || refused.Code == nestor.CodeConflict {
		w.Header().Set(shouldRetry, "false") // the stock client would repeat a 409
	}
	write(w, refused.Status, map[string]any{"error": failure{
		Message: refused.Message, Type: cmp.Or(is.kind, "server_error"), Param: orNull(field), Code: orNull(cmp.Or(code, is.code)),
	}})
}

// shouldRetry is the header by which the stock clients are told whether to repeat a
// request, whatever its status.
const shouldRetry = "X-Should-Retry"

// orNull is a text, or null if there is none.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// write answers with JSON.
func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(body) // the status is out; only a client that went away can fail now
}

// unsupported refuses what would change the meaning of a request if it were ignored.
func unsupported(param, format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", param).With("code", "unsupported_parameter")
}

// noModel says that there is no such participant.
func noModel(id string) error {
	return nestor.Errorf(nestor.CodeNotFound, "the model %.200q does not exist: GET /v1/models lists those that do", id).With("field", "model").With("code", "model_not_found")
}
