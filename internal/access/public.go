package access

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor"
)

// PublicURL is the address at which browsers and clients reach the server through a
// reverse proxy, such as https://example.org/agents. The zero value is none: then the
// server is at the root of whatever host a request names.
type PublicURL struct {
	// Host is its host, with a port that is not the scheme's own.
	Host string
	// Prefix is its path without a slash at the end, "" at the root.
	Prefix string
	// Secure: the proxy speaks TLS.
	Secure bool
}

var publicPath = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// ParsePublicURL reads an address. An empty text is none.
func ParsePublicURL(text string) (PublicURL, error) {
	if text == "" {
		return PublicURL{}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return PublicURL{}, nestor.Errorf(nestor.CodeInvalid, "the public URL is an address such as https://example.org/agents, not %q", text)
	}
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	if !publicPath.MatchString(prefix) {
		return PublicURL{}, nestor.Errorf(nestor.CodeInvalid, "the path of the public URL has letters, digits and -._~ between its slashes, not %q", prefix)
	}
	host := strings.ToLower(u.Host)
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; strings.HasSuffix(host, port) {
		host = strings.TrimSuffix(host, port)
	}
	return PublicURL{Host: host, Prefix: prefix, Secure: u.Scheme == "https"}, nil
}

// IsSet reports whether there is a public address.
func (p PublicURL) IsSet() bool { return p.Host != "" }

// String is the address without a slash at the end, "" if there is none.
func (p PublicURL) String() string {
	switch {
	case !p.IsSet():
		return ""
	case p.Secure:
		return "https://" + p.Host + p.Prefix
	}
	return "http://" + p.Host + p.Prefix
}

// Strip passes requests on without the prefix, whether the proxy has removed it or not,
// and puts it before the paths that answers lead to. No path of the server itself may
// begin with the prefix.
func (p PublicURL) Strip(next http.Handler) http.Handler {
	if p.Prefix == "" {
		return next
	}
	stripped := http.StripPrefix(p.Prefix, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = &leading{ResponseWriter: w, prefix: p.Prefix}
		switch {
		case r.URL.Path == p.Prefix:
			to := *r.URL
			to.Path, to.RawPath = "/", ""
			http.Redirect(w, r, to.RequestURI(), http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, p.Prefix+"/"):
			stripped.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// leading writes an answer whose Location has the prefix.
type leading struct {
	http.ResponseWriter
	prefix string
}

// WriteHeader implements [http.ResponseWriter].
func (l *leading) WriteHeader(status int) {
	if to := l.Header().Get("Location"); strings.HasPrefix(to, "/") {
		l.Header().Set("Location", l.prefix+to)
	}
	l.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] find the writer below.
func (l *leading) Unwrap() http.ResponseWriter { return l.ResponseWriter }
