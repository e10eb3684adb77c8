package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/readable"
)

const webFetchDescription = `Reads a web page or text file by its URL, as Markdown. Scripts do not run, pages behind a login, PDF and images do not work, and long pages are cut. It cannot search.`

const (
	fetchTimeout = 20 * time.Second
	maxPage      = 5 << 20 // bytes that are read of a page
)

func webFetch(allowPrivate bool) *tool.Tool {
	type input struct {
		URL string `json:"url" jsonschema:"an absolute http or https URL"`
	}
	client := netguard.Client(netguard.Options{
		AllowPrivate: allowPrivate, Timeout: -1, Redirects: netguard.AnyHost, Permit: "start the server with --allow-private",
	})
	spec := tool.Spec{Name: "web_fetch", Description: webFetchDescription, Effect: tool.Pure, Timeout: fetchTimeout}
	return tool.Func(spec, func(ctx context.Context, _ tool.Call, in input) (string, error) {
		return fetch(ctx, client, in.URL)
	})
}

func fetch(ctx context.Context, client *http.Client, address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", nestor.Errorf(nestor.CodeInvalid, "%q is not an absolute http or https URL", address)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "%q cannot be requested: %w", address, err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; nestor)")
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1")
	resp, err := client.Do(req)
	if err != nil {
		return "", nestor.Errorf(netguard.Code(err), "%s cannot be fetched: %w", u.Redacted(), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", nestor.Errorf(nestor.CodeUnavailable, "%s answers HTTP %s", resp.Request.URL.Redacted(), resp.Status)
	}
	kind, err := textKind(resp)
	if err != nil {
		return "", err
	}
	return readPage(ctx, resp, kind)
}

// textKind returns the media type of a response if it can be read as text.
func textKind(resp *http.Response) (string, error) {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return "", nil // sniffed later
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"):
		return kind, nil
	}
	return "", nestor.Errorf(nestor.CodeInvalid, "%s is of type %s, which cannot be read as text", resp.Request.URL.Redacted(), kind)
}

func readPage(ctx context.Context, resp *http.Response, kind string) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	if err != nil {
		return "", nestor.Errorf(nestor.CodeUnavailable, "the page broke off: %w", err)
	}
	note := ""
	if len(raw) > maxPage {
		raw = raw[:maxPage]
		note = fmt.Sprintf("\n\n[the page is longer than %d bytes; the rest was not read]", maxPage)
	}
	if kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(raw))
		if !strings.HasPrefix(kind, "text/") {
			return "", nestor.Errorf(nestor.CodeInvalid, "%s is not text", resp.Request.URL.Redacted())
		}
	}
	text := decode(raw, resp.Header.Get("Content-Type"))
	where := resp.Request.URL.Redacted()
	if kind != "text/html" && kind != "application/xhtml+xml" {
		return fmt.Sprintf("URL: %s\n\n%s%s", where, text, note), nil
	}
	page, err := readable.Parse(ctx, bytes.NewReader(text), resp.Request.URL)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the page cannot be parsed: %w", err)
	}
	if page.Markdown == "" {
		page.Markdown = "[the page has no readable text; it may be built by scripts]"
	}
	return fmt.Sprintf("URL: %s\nTitle: %s\n\n%s%s", where, page.Title, page.Markdown, note), nil
}

// decode turns a page into UTF-8. Text that is valid UTF-8 is taken as such
// unless the server says otherwise; older encodings are found as browsers do.
func decode(raw []byte, contentType string) []byte {
	encoding, _, certain := charset.DetermineEncoding(raw, contentType)
	if !certain && utf8.Valid(raw[:lastRune(raw)]) {
		return raw
	}
	decoded, err := encoding.NewDecoder().Bytes(raw)
	if err != nil {
		return raw
	}
	return bytes.TrimPrefix(decoded, []byte("\uFEFF"))
}

// lastRune is where the last rune begins, which may have been cut off.
func lastRune(raw []byte) int {
	i := max(0, len(raw)-1)
	for i > 0 && !utf8.RuneStart(raw[i]) {
		i--
	}
	return i
}
