package llm

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// report is the common part of the providers' error bodies.
type report struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`   // OpenAI, Anthropic
	Status  string          `json:"status"` // Gemini
	Code    json.RawMessage `json:"code"`   // a word at OpenAI, a status elsewhere
	Details json.RawMessage `json:"details"`
	Context int             `json:"n_ctx"` // llama.cpp
}

func parseReport(body []byte) report {
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return report{}
	}
	var r report
	if len(envelope.Error) == 0 {
		envelope.Error = body
	}
	if err := json.Unmarshal(envelope.Error, &r); err != nil {
		_ = json.Unmarshal(envelope.Error, &r.Message) // some servers send only a text
	}
	return r
}

// status is the HTTP status, or the one that the report amounts to: inside a
// stream there is none, some proxies say 200, and Gemini says 400 for a bad
// key.
func (r report) status(status int) int {
	for _, d := range r.details() {
		if d.Reason == "API_KEY_INVALID" {
			return http.StatusUnauthorized
		}
	}
	if status >= 300 || status > 0 && r.Message == "" {
		return status
	}
	var code int
	if err := json.Unmarshal(r.Code, &code); err == nil && code >= 400 {
		return code
	}
	switch r.Type {
	case "authentication_error":
		return http.StatusUnauthorized
	case "permission_error":
		return http.StatusForbidden
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota":
		return http.StatusTooManyRequests
	case "invalid_request_error", "not_found_error":
		return http.StatusBadRequest
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	default:
		return http.StatusInternalServerError
	}
}

type reportDetail struct {
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"`
}

// details are Gemini's; what others put there is ignored.
func (r report) details() []reportDetail {
	var details []reportDetail
	_ = json.Unmarshal(r.Details, &details)
	return details
}

// retryAfter reads the wait from the headers (seconds or a date) or from
// Gemini's details.
func (r report) retryAfter(header http.Header) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return seconds(ms / 1000), true
	}
	value := header.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 {
		return seconds(s), true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(time.Until(date), 0), true
	}
	for _, d := range r.details() {
		if delay, err := time.ParseDuration(d.RetryDelay); err == nil && delay >= 0 {
			return delay, true
		}
	}
	return 0, false
}

// seconds converts without overflow; nobody waits longer than a day anyway.
func seconds(s float64) time.Duration {
	const day = 24 * 60 * 60
	return time.Duration(min(s, day) * float64(time.Second))
}
