package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// keys are what requests are signed with.
type keys struct{ id, secret, session string }

// emptyHash is the SHA-256 of nothing.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// sign signs a request by AWS Signature Version 4, with the hash of its body. The
// request must not be changed afterwards.
func sign(r *http.Request, k keys, region, bodyHash string, now time.Time) {
	stamp := now.UTC().Format("20060102T150405Z")
	day := stamp[:8]
	r.Header.Set("X-Amz-Date", stamp)
	r.Header.Set("X-Amz-Content-Sha256", bodyHash)
	if k.session != "" {
		r.Header.Set("X-Amz-Security-Token", k.session)
	}
	headers := []string{"host"}
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") || name == "range" || name == "content-type" {
			headers = append(headers, name)
		}
	}
	slices.Sort(headers)
	var canonical strings.Builder
	canonical.WriteString(r.Method + "\n" + r.URL.EscapedPath() + "\n" + canonicalQuery(r.URL.Query()) + "\n")
	for _, name := range headers {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.URL.Host
		}
		canonical.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	signed := strings.Join(headers, ";")
	canonical.WriteString("\n" + signed + "\n" + bodyHash)

	scope := day + "/" + region + "/s3/aws4_request"
	toSign := "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hexHash(canonical.String())
	key := []byte("AWS4" + k.secret)
	for _, part := range []string{day, region, "s3", "aws4_request"} {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+k.id+"/"+scope+", SignedHeaders="+signed+", Signature="+hex.EncodeToString(mac(key, toSign)))
}

// canonicalQuery has parameters in order, with everything escaped but what AWS calls
// unreserved.
func canonicalQuery(q url.Values) string {
	return strings.ReplaceAll(q.Encode(), "+", "%20")
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func hexHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
