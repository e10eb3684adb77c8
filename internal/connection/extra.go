package connection

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// ours are the fields of a request that Nestor writes, at any provider. If a
// field stood there twice, the server would decide which one counts.
var ours = []string{
	"model", "messages", "tools", "stream", "system", "contents", "systemInstruction", "max_tokens", "max_completion_tokens", "tool_choice",
}

func checkExtraBody(fields map[string]json.RawMessage) error {
	size := 0
	for name, value := range fields {
		size += len(name) + len(value)
		switch {
		case strings.TrimSpace(name) == "":
			return invalid("extraBody", "has a field without a name")
		case slices.Contains(ours, name):
			return invalid("extraBody."+name, "is written by Nestor itself")
		case soundsSecret(name):
			return invalid("extraBody."+name, "sounds like a secret, and extraBody is not kept secret: use the field headers or secret")
		}
	}
	if size > maxExtraBody {
		return invalid("extraBody", "has at most %d bytes", maxExtraBody)
	}
	return nil
}

// reservedHeaders are about the HTTP connection and the body, which are not the
// user's to describe.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// checkHeaders refuses what cannot or must not be sent. Errors show no value.
func checkHeaders(headers map[string]string) error {
	if len(headers) > maxHeaders {
		return invalid("headers", "are at most %d", maxHeaders)
	}
	seen := map[string]bool{}
	for name, value := range headers {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case name == "" || len(name) > 200 || strings.ContainsFunc(name, notInHeaderName):
			return invalid("headers", "have names of letters, digits and hyphens")
		case slices.Contains(reservedHeaders, canonical):
			return invalid("headers."+name, "is written by Nestor itself")
		case seen[canonical]:
			return invalid("headers."+name, "is given twice")
		case len(value) > 8<<10 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }):
			return invalid("headers."+name, "holds a character that no header has, or too many")
		}
		seen[canonical] = true
	}
	return nil
}

func notInHeaderName(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r))
}
