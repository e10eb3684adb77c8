package llm

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
)

var testEndpoint = &Endpoint{Provider: "acme", Key: KeyName{Variable: "ACME_API_KEY"}, APIKey: "sk-secret"}

func TestRejected(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int // 0: inside a stream
		body   string
		code   nestor.Code
		says   string
	}{
		{"a bad key", 401, `{"error":{"message":"Incorrect API key: sk-sec***"}}`, nestor.CodeUnauthenticated, "set ACME_API_KEY"},
		{"a bad key, Gemini's way", 400, `{"error":{"code":400,"details":[{"reason":"API_KEY_INVALID"}]}}`, nestor.CodeUnauthenticated, "ACME_API_KEY"},
		{"no access", 403, `{"error":{"message":"wrong country"}}`, nestor.CodeUnauthenticated, "wrong country"},
		{"a bad request", 400, `{"error":{"message":"temperature is too high"}}`, nestor.CodeInvalid, "temperature is too high"},
		{"an error that is only text", 404, `{"error":"model not found"}`, nestor.CodeInvalid, "model not found"},
		{"a flat error", 404, `{"object":"error","message":"model not found"}`, nestor.CodeInvalid, "model not found"},
		{"an error that is no JSON", 502, `<html>Bad gateway</html>`, nestor.CodeUnavailable, "Bad Gateway"},
		{"an error behind a good status", 200, `{"error":{"code":502,"message":"upstream is down"}}`, nestor.CodeUnavailable, "upstream is down"},
		{"a reply that is no stream", 200, `{"choices":[]}`, nestor.CodeInvalid, "base URL"},
		{"an empty error", 500, ``, nestor.CodeUnavailable, "status 500"},
		{"a long conversation, OpenAI's way", 400, `{"error":{"code":"context_length_exceeded","message":"too many tokens"}}`, nestor.CodeTooLarge, "too many"},
		{"a long conversation, Anthropic's way", 400, `{"error":{"message":"prompt is too long: 9 > 8"}}`, nestor.CodeTooLarge, "9 > 8"},
		{"a long conversation, Gemini's way", 400, `{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`, nestor.CodeTooLarge, "(8)"},
		{"overload inside a stream", 0, `{"error":{"type":"overloaded_error","message":"Overloaded"}}`, nestor.CodeUnavailable, "Overloaded"},
		{"a rate limit inside a stream", 0, `{"error":{"type":"rate_limit_error","message":"slow down"}}`, nestor.CodeRateLimited, "slow down"},
		{"a status inside a stream", 0, `{"error":{"code":429,"message":"slow down"}}`, nestor.CodeRateLimited, "slow down"},
		{"a bad request inside a stream", 0, `{"error":{"type":"invalid_request_error","message":"no"}}`, nestor.CodeInvalid, "no"},
		{"the key in the provider's words", 500, `{"error":{"message":"crash at sk-secret"}}`, nestor.CodeUnavailable, "[redacted]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := testEndpoint.rejected(tt.status, nil, []byte(tt.body))
			if nestor.CodeOf(err) != tt.code {
				t.Errorf("code %q, want %q", nestor.CodeOf(err), tt.code)
			}
			if !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "acme") {
				t.Errorf("%q does not say %q of acme", err, tt.says)
			}
			if strings.Contains(err.Error(), "sk-sec") {
				t.Errorf("%q shows a part of the key", err)
			}
		})
	}
}

func TestRejectedWithoutAKeyAsksForOne(t *testing.T) {
	e := &Endpoint{Provider: "acme", Key: KeyName{Variable: "ACME_API_KEY"}}
	err := e.rejected(http.StatusUnauthorized, nil, nil)
	if !strings.Contains(err.Error(), "wants an API key: set ACME_API_KEY") {
		t.Errorf("%q", err)
	}
}

func TestRejectedBoundsTheMessage(t *testing.T) {
	err := testEndpoint.rejected(500, nil, []byte(`{"error":{"message":"`+strings.Repeat("é", 5000)+`"}}`))
	if n := len(err.Error()); n > 700 {
		t.Errorf("the message has %d bytes", n)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header http.Header
		body   string
		want   time.Duration
		none   bool
	}{
		{name: "seconds", header: http.Header{"Retry-After": {"12"}}, want: 12 * time.Second},
		{name: "parts of a second", header: http.Header{"Retry-After": {"0.25"}}, want: 250 * time.Millisecond},
		{name: "milliseconds", header: http.Header{"Retry-After-Ms": {"1500"}}, want: 1500 * time.Millisecond},
		{name: "a date", header: http.Header{"Retry-After": {"Sat, 01 Jan 2000 00:01:30 GMT"}}, want: 90 * time.Second},
		{name: "a date that is past", header: http.Header{"Retry-After": {"Fri, 31 Dec 1999 00:00:00 GMT"}}, want: 0},
		{name: "a detail of the body", body: `{"error":{"details":[{"retryDelay":"34.5s"}]}}`, want: 34500 * time.Millisecond},
		{name: "a wait beyond reason", header: http.Header{"Retry-After": {"1e300"}}, want: 24 * time.Hour},
		{name: "a negative wait", header: http.Header{"Retry-After": {"-5"}}, none: true},
		{name: "no number", header: http.Header{"Retry-After": {"NaN"}}, none: true},
		{name: "nonsense", header: http.Header{"Retry-After": {"soon"}}, none: true},
		{name: "nothing", none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // time starts at 2000-01-01
				got, ok := nestor.WaitOf(testEndpoint.rejected(429, tt.header, []byte(tt.body)))
				if ok == tt.none || got != tt.want {
					t.Errorf("got %v, %v; want %v", got, ok, tt.want)
				}
			})
		})
	}
}
