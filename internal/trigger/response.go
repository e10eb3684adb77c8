package trigger

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
)

const (
	// maxResponse is how much of a response is read.
	maxResponse = 16 << 10
	// maxExcerpt is how many characters of it an error shows.
	maxExcerpt = 200
	// maxRetryAfter caps what a receiver can ask for.
	maxRetryAfter = 24 * time.Hour
)

// passing are the answers below 500 that may be others after a while. A router
// whose service is being deployed anew says that there is nothing at the address.
var passing = []int{http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooEarly}

// judgeResponse turns an answer into the outcome of the delivery. Secrets are
// blotted out of what it quotes.
func judgeResponse(host string, res *http.Response, secrets []string) error {
	// Read in any case: a connection is used again only when it is read to the
	// end. That a body breaks off changes nothing about the status.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxResponse))
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return nil
	}
	code := nestor.CodeInvalid
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		code = nestor.CodeRateLimited
	case slices.Contains(passing, res.StatusCode) || res.StatusCode >= 500:
		code = nestor.CodeUnavailable
	}
	message := fmt.Sprintf("webhook to %s was answered with status %d", host, res.StatusCode)
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		message += " (redirects are not followed)"
	}
	if quote := excerpt(string(body), secrets); quote != "" {
		message += ": " + quote
	}
	err := nestor.Errorf(code, "%s", message).With("status", res.StatusCode)
	if res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable {
		if wait := retryAfter(res.Header.Get("Retry-After")); wait > 0 {
			err.Err = nestor.RetryAfter(wait)
		}
	}
	return err
}

// retryAfter reads the header: seconds or a date. Zero means nothing useful.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	return 0
}

// secrets are the texts that must not be quoted from an answer: a receiver may
// echo what it was sent.
func secrets(r *rule, token string) []string {
	const shortest = 6 // below that it is a word, not a secret
	var list []string
	add := func(s string) {
		if len(s) >= shortest {
			list = append(list, s)
		}
	}
	add(token)
	add(r.Secret)
	add(strings.TrimPrefix(r.Secret, secretPrefix))
	for _, value := range r.Headers {
		add(value)
		for _, part := range strings.Fields(value) { // the token of "Bearer TOKEN"
			add(part)
		}
	}
	return list
}

// excerpt is the beginning of a body, as one line of printable text.
func excerpt(body string, secrets []string) string {
	for _, s := range secrets {
		body = strings.ReplaceAll(body, s, hidden)
	}
	body = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, body)
	body = strings.Join(strings.Fields(body), " ")
	if runes := []rune(body); len(runes) > maxExcerpt {
		return string(runes[:maxExcerpt]) + "…"
	}
	return body
}

// withoutURL drops the URL that the HTTP client puts before its errors.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
