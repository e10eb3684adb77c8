package httptool

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

const (
	maxResponse = 1 << 20 // bytes of a response that are read at all
	maxExcerpt  = 2 << 10 // bytes of an error response that are shown
)

// read turns a response into an output, or into an error unless it is a 2xx.
// A response that is too long is cut, not refused: the call has had its effect.
// Lost says that one broke off which may have been a success.
func (e *endpoint) read(resp *http.Response) (output tool.Output, lost bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	if err != nil {
		return output, resp.StatusCode < 400, nestor.Errorf(nestor.CodeUnavailable, "HTTP %s, but the response broke off: %w", resp.Status, err)
	}
	text := string(raw)
	if len(raw) > maxResponse {
		text = e.mask.HidePart(text[:maxResponse])
		text += fmt.Sprintf("\n[the response is longer than %d bytes; the rest was not read]", maxResponse)
	} else {
		text = e.mask.Hide(text)
	}
	if !readable(resp, raw) {
		text = fmt.Sprintf("[%d bytes of %s, which is not text]", len(raw), mediaType(resp))
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return output, false, failed(resp, text)
	}
	if output.Text = text; text == "" {
		output.Text = "HTTP " + resp.Status
	}
	if m, ok := tool.NewMedia(mediaType(resp), "", "", raw); ok && len(raw) <= maxResponse && !readable(resp, raw) && !e.mask.Finds(string(raw)) {
		output.Media = []nestor.Media{m}
	}
	return output, false, nil
}

func failed(resp *http.Response, text string) error {
	message := "HTTP " + resp.Status
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		message += ": it redirects to " + to + ", which is not followed"
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		message += " (Retry-After: " + after + ")"
	}
	if text = strings.TrimSpace(text); text != "" {
		if len(text) > maxExcerpt {
			text = strings.ToValidUTF8(text[:maxExcerpt], "") + " […]"
		}
		message += ": " + text
	}
	return nestor.Errorf(codeOf(resp.StatusCode), "%s", message)
}

func codeOf(status int) nestor.Code {
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		return nestor.CodeNotFound
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return nestor.CodeForbidden
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		return nestor.CodeConflict
	case status == http.StatusTooManyRequests:
		return nestor.CodeRateLimited
	case status >= 500 || status == http.StatusRequestTimeout:
		return nestor.CodeUnavailable
	default:
		return nestor.CodeInvalid
	}
}

// readable reports whether a body is text, by its type or, failing that, by
// its looks.
func readable(resp *http.Response, raw []byte) bool {
	switch kind := mediaType(resp); {
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"):
		return true
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"):
		return false
	}
	return strings.HasPrefix(http.DetectContentType(raw), "text/")
}

func mediaType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return "an unknown type"
	}
	return kind
}
