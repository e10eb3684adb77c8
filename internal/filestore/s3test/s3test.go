// Package s3test is a server that speaks as much of the protocol of S3 as a storage of
// files needs, and refuses what is not signed as it should be.
package s3test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The keys of every bucket.
const (
	KeyID  = "test-key"
	Secret = "test-secret-with/special+characters"
	Region = "eu-test-1"
)

// Bucket is a bucket of a server.
type Bucket struct {
	URL string

	mu      sync.Mutex
	objects map[string]object
	now     func() time.Time
}

type object struct {
	data []byte
	at   time.Time
}

// New starts a server with an empty bucket, whose name is bucket.
func New(t testing.TB) *Bucket {
	b := &Bucket{objects: map[string]object{}, now: time.Now}
	s := httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(s.Close)
	b.URL = s.URL
	return b
}

// Env has the keys.
func Env(name string) string {
	return map[string]string{"AWS_ACCESS_KEY_ID": KeyID, "AWS_SECRET_ACCESS_KEY": Secret}[name]
}

// Names are those of the objects.
func (b *Bucket) Names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects))
}

func (b *Bucket) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	if why := unsigned(r, body); why != "" {
		fail(w, http.StatusForbidden, why)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/bucket/")
	if !ok {
		fail(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Method == http.MethodPut && r.ContentLength >= 0:
		b.objects[name] = object{body, b.now()}
	case r.Method == http.MethodDelete:
		delete(b.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet && name == "" && r.URL.Query().Get("list-type") == "2":
		b.list(w, r)
	case r.Method == http.MethodGet:
		o, ok := b.objects[name]
		if !ok {
			fail(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		http.ServeContent(w, r, "", o.at, bytes.NewReader(o.data))
	default:
		fail(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

// page is how many objects a page of a list has: few, so that there are several.
const page = 2

func (b *Bucket) list(w http.ResponseWriter, r *http.Request) {
	type content struct {
		Key          string
		LastModified string
		Size         int
	}
	var list struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Contents              []content
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
	}
	q := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(b.objects)) {
		if !strings.HasPrefix(name, q.Get("prefix")) || name <= q.Get("continuation-token") {
			continue
		}
		if len(list.Contents) == page {
			list.IsTruncated, list.NextContinuationToken = true, list.Contents[page-1].Key
			break
		}
		list.Contents = append(list.Contents, content{name, b.objects[name].at.UTC().Format("2006-01-02T15:04:05.000Z"), len(b.objects[name].data)})
	}
	_ = xml.NewEncoder(w).Encode(list)
}

func fail(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

// unsigned says what is wrong with the signature of a request, "" if nothing is. It
// follows the specification and shares nothing with who signs.
func unsigned(r *http.Request, body []byte) string {
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	fields := map[string]string{}
	for part := range strings.SplitSeq(rest, ", ") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = value
	}
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	if scheme != "AWS4-HMAC-SHA256" || err != nil || time.Since(at).Abs() > 15*time.Minute {
		return "RequestTimeTooSkewed"
	}
	scope := stamp[:8] + "/" + Region + "/s3/aws4_request"
	if fields["Credential"] != KeyID+"/"+scope {
		return "InvalidAccessKeyId"
	}
	if sum := sha256.Sum256(body); r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return "XAmzContentSHA256Mismatch"
	}
	var query []string
	if r.URL.RawQuery != "" {
		query = strings.Split(r.URL.RawQuery, "&")
	}
	slices.Sort(query)
	lines := []string{r.Method, r.URL.EscapedPath(), strings.Join(query, "&")}
	names := strings.Split(fields["SignedHeaders"], ";")
	if !slices.Contains(names, "host") || !slices.Contains(names, "x-amz-date") || !slices.Contains(names, "x-amz-content-sha256") {
		return "AccessDenied"
	}
	for _, name := range names {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		lines = append(lines, name+":"+value)
	}
	lines = append(lines, "", fields["SignedHeaders"], r.Header.Get("X-Amz-Content-Sha256"))
	whole := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	key := []byte("AWS4" + Secret)
	for _, step := range []string{stamp[:8], Region, "s3", "aws4_request", "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(whole[:])} {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(step))
		key = h.Sum(nil)
	}
	if fields["Signature"] != hex.EncodeToString(key) {
		return "SignatureDoesNotMatch"
	}
	return ""
}
