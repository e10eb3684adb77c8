// Package s3 keeps the bytes of files in a bucket of Amazon S3, or of a server that
// speaks its protocol.
package s3

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/filestore"
)

// Storage implements [filestore.Storage]. Objects are named after their keys, below a
// prefix.
type Storage struct {
	client   *http.Client
	endpoint *url.URL // with the bucket in its path, or in its host
	prefix   string
	region   string
	keys     keys
}

var _ filestore.Storage = (*Storage)(nil)

// idle is how long a server may keep silent before it begins to answer.
const idle = time.Minute

// Open reads where the bucket is, such as s3://bucket/prefix?region=eu-central-1, or
// with &endpoint=http://127.0.0.1:9000 for another server than Amazon's. Env has the
// keys: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if need be, AWS_SESSION_TOKEN. It
// talks to nobody.
func Open(at string, env func(string) string) (*Storage, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil {
		return nil, wrong("is not of the form s3://bucket/prefix?endpoint=https://host&region=name")
	}
	q := u.Query()
	for name := range q {
		if name != "endpoint" && name != "region" {
			return nil, wrong("has the parameter %s, and only endpoint and region are known; keys are taken from the environment", name)
		}
	}
	s := &Storage{
		prefix: strings.Trim(u.Path, "/"), region: cmp.Or(q.Get("region"), env("AWS_REGION"), "us-east-1"),
		keys: keys{env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"), env("AWS_SESSION_TOKEN")},
	}
	if s.keys.id == "" || s.keys.secret == "" {
		return nil, wrong("needs the keys of the bucket in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if s.prefix != "" {
		s.prefix += "/"
	}
	if endpoint := q.Get("endpoint"); endpoint == "" {
		s.endpoint = &url.URL{Scheme: "https", Host: u.Host + ".s3." + s.region + ".amazonaws.com", Path: "/"}
	} else {
		s.endpoint, err = url.Parse(endpoint)
		if err != nil || s.endpoint.Scheme != "http" && s.endpoint.Scheme != "https" || s.endpoint.Host == "" || s.endpoint.User != nil || s.endpoint.RawQuery != "" {
			return nil, wrong("has an endpoint that is not of the form https://host")
		}
		s.endpoint.Path = strings.TrimSuffix(s.endpoint.Path, "/") + "/" + u.Host + "/"
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = idle
	s.client = &http.Client{Transport: transport}
	return s, nil
}

func wrong(format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, "--files "+format, args...)
}

// Close gives connections back.
func (s *Storage) Close() { s.client.CloseIdleConnections() }

// do sends a signed request. Other statuses than those wanted are errors.
func (s *Storage) do(ctx context.Context, method, object string, query url.Values, header map[string]string, body io.Reader, size int64, hash string, want ...int) (*http.Response, error) {
	at := *s.endpoint
	if object != "" {
		at.Path += s.prefix + object
	}
	at.RawPath = escapePath(at.Path)
	at.RawQuery = canonicalQuery(query)
	r, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, failed(err)
	}
	r.ContentLength = size
	for name, value := range header {
		r.Header.Set(name, value)
	}
	sign(r, s.keys, s.region, hash, time.Now())
	res, err := s.client.Do(r)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, failed(err)
	}
	for _, status := range want {
		if res.StatusCode == status {
			return res, nil
		}
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNotFound && object != "" {
		return nil, nestor.Errorf(nestor.CodeNotFound, "the bytes of the file are gone")
	}
	var told struct{ Code, Message string }
	text, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	_ = xml.Unmarshal(text, &told) // what the server says may be anything
	return nil, failed(fmt.Errorf("%s %s %s", res.Status, told.Code, told.Message))
}

// object is the name of an object, below the prefix.
func object(key filestore.Key) string { return key.UserID + "/" + key.ID }

// escapePath escapes all but unreserved characters and slashes, as signatures want it.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(p), "+", "%20")
	}
	return strings.Join(parts, "/")
}

// failed says that the server is at fault, not who asked.
func failed(err error) error {
	return nestor.Errorf(nestor.CodeUnavailable, "the storage for files (S3) failed: %w", err)
}

// Put implements [filestore.Storage]. The protocol wants size and hash before the first
// byte, so the bytes are kept in a temporary file meanwhile.
func (s *Storage) Put(ctx context.Context, key filestore.Key, r io.Reader) error {
	f, err := os.CreateTemp("", "nestor-upload-")
	if err != nil {
		return failed(err)
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), r)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return failed(err)
	}
	var body io.Reader = io.NopCloser(f)
	if size == 0 {
		body = http.NoBody
	}
	header := map[string]string{"Content-Type": "application/octet-stream"}
	res, err := s.do(ctx, http.MethodPut, object(key), nil, header, body, size, hex.EncodeToString(sum.Sum(nil)), http.StatusOK)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Open implements [filestore.Storage].
func (s *Storage) Open(ctx context.Context, key filestore.Key, offset int64) (io.ReadCloser, error) {
	header := map[string]string{}
	if offset > 0 {
		header["Range"] = fmt.Sprintf("bytes=%d-", offset)
	}
	res, err := s.do(ctx, http.MethodGet, object(key), nil, header, nil, 0, emptyHash, http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable)
	if err != nil {
		return nil, err
	}
	switch {
	case res.StatusCode == http.StatusRequestedRangeNotSatisfiable: // it has no more bytes
		_ = res.Body.Close()
		return io.NopCloser(strings.NewReader("")), nil
	case offset > 0 && res.StatusCode == http.StatusOK: // the server knows no ranges
		if _, err := io.CopyN(io.Discard, res.Body, offset); err != nil {
			_ = res.Body.Close()
			return nil, failed(err)
		}
	}
	return res.Body, nil
}

// Delete implements [filestore.Storage].
func (s *Storage) Delete(ctx context.Context, key filestore.Key) error {
	res, err := s.do(ctx, http.MethodDelete, object(key), nil, nil, nil, 0, emptyHash, http.StatusNoContent, http.StatusOK, http.StatusNotFound)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// maxListing bounds a page of a listing.
const maxListing = 16 << 20

// Keys implements [filestore.Storage].
func (s *Storage) Keys(ctx context.Context, before time.Time, fn func(filestore.Key) error) error {
	for next := ""; ; {
		q := url.Values{"list-type": {"2"}, "prefix": {s.prefix}}
		if next != "" {
			q.Set("continuation-token", next)
		}
		res, err := s.do(ctx, http.MethodGet, "", q, nil, nil, 0, emptyHash, http.StatusOK)
		if err != nil {
			return err
		}
		var page struct {
			Contents []struct {
				Key          string
				LastModified time.Time
			}
			NextContinuationToken string
		}
		err = xml.NewDecoder(io.LimitReader(res.Body, maxListing)).Decode(&page)
		_ = res.Body.Close()
		if err != nil {
			return failed(err)
		}
		for _, one := range page.Contents {
			user, id, _ := strings.Cut(strings.TrimPrefix(one.Key, s.prefix), "/")
			if nestor.CheckID(user) != nil || nestor.CheckID(id) != nil || !one.LastModified.Before(before) {
				continue // nothing of ours, or too young
			}
			if err := fn(filestore.Key{UserID: user, ID: id}); err != nil {
				return err
			}
		}
		if next = page.NextContinuationToken; next == "" {
			return nil
		}
	}
}
