package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
)

// plainPage is a page that does without the UI, since there may be none, or the
// reader may not see it. It holds fixed text only, and one link to the start, %s.
type plainPage struct{ title, body string }

var (
	notFoundPage = plainPage{"There is no such page", `<p>Nothing is at this address. <a href="%s/">Go to the start</a>.</p>`}
	usedLinkPage = plainPage{"This link does not work any more", `<p>It was opened before, or it is older than an hour.</p>
<p>For a new one, run this on the machine of the server, in the folder where it was started:</p>
<pre>nestor link</pre>
<p>Or <a href="%s/">sign in</a> with a password, or with the value of <code>NESTOR_TOKEN</code>.</p>`}
)

const plainStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}` +
	`pre{padding:.75rem 1rem;border:1px solid;border-radius:.5rem}`

// plainPolicy lets the page use its own style and nothing else.
var plainPolicy = func() string {
	sum := sha256.Sum256([]byte(plainStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; frame-ancestors 'none'"
}()

// NoPage tells a person that nothing is at an address of the server, whose paths begin
// with the prefix.
func NoPage(w http.ResponseWriter, prefix string) {
	writePage(w, prefix, http.StatusNotFound, notFoundPage)
}

// UsedLink tells a person that the link which they opened does not work any more.
func UsedLink(w http.ResponseWriter, prefix string) {
	writePage(w, prefix, http.StatusUnauthorized, usedLinkPage)
}

func writePage(w http.ResponseWriter, prefix string, status int, p plainPage) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", plainPolicy)
	w.WriteHeader(status)
	// A client that went away is all that can fail.
	_, _ = w.Write([]byte("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
		p.title + "</title>\n<style>" + plainStyle + "</style>\n<h1>" + p.title + "</h1>\n" + fmt.Sprintf(p.body, prefix) + "\n</html>\n"))
}
