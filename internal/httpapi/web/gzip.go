package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// minCompressed is the size from which compression is worth it: smaller answers
// fit into one packet.
const minCompressed = 1400

// Compress sends JSON of some size compressed to those who want that. Event
// streams stay as they are: compression would hold events back.
func Compress(next http.Handler) http.Handler {
	writers := sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err) // only an unknown level is an error
		}
		return w
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !acceptsGzip(r.Header.Get("Accept-Encoding")) || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		c := &compressor{ResponseWriter: w, writers: &writers}
		defer c.close()
		next.ServeHTTP(c, r)
	})
}

// acceptsGzip reads an Accept-Encoding.
func acceptsGzip(header string) bool {
	for encoding := range strings.SplitSeq(header, ",") {
		name, parameter, _ := strings.Cut(encoding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, weighted := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !weighted || err == nil && q > 0
	}
	return false
}

// compressor decides with the first piece of the body, which is all of it where
// JSON is encoded at once, and keeps the status back until then.
type compressor struct {
	http.ResponseWriter
	writers *sync.Pool
	status  int
	decided bool
	zip     *gzip.Writer // nil: not compressed
}

// WriteHeader implements [http.ResponseWriter].
func (c *compressor) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

// Write implements [http.ResponseWriter].
func (c *compressor) Write(p []byte) (int, error) {
	c.decide(len(p))
	if c.zip != nil {
		return c.zip.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

func (c *compressor) decide(size int) {
	if c.decided {
		return
	}
	c.decided = true
	h := c.Header()
	if strings.HasPrefix(h.Get("Content-Type"), "application/json") && h.Get("Content-Encoding") == "" {
		h.Add("Vary", "Accept-Encoding")
		if size >= minCompressed {
			h.Set("Content-Encoding", "gzip")
			h.Del("Content-Length")
			c.zip = c.writers.Get().(*gzip.Writer)
			c.zip.Reset(c.ResponseWriter)
		}
	}
	if c.status != 0 {
		c.ResponseWriter.WriteHeader(c.status)
	}
}

// FlushError is how [http.ResponseController] sends what there is.
func (c *compressor) FlushError() error {
	c.decide(0)
	if c.zip != nil {
		if err := c.zip.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] set deadlines.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// whole is a body as it is sent, all of it. What compresses is needed no longer then,
// however slowly the client reads.
func (c *compressor) whole(p []byte) []byte {
	c.decide(len(p))
	if c.zip == nil {
		return p
	}
	var out bytes.Buffer
	c.zip.Reset(&out)
	_, _ = c.zip.Write(p) // a buffer takes everything
	_ = c.zip.Close()
	c.giveBack()
	return out.Bytes()
}

func (c *compressor) giveBack() {
	c.zip.Reset(nil)
	c.writers.Put(c.zip)
	c.zip = nil
}

func (c *compressor) close() {
	c.decide(0)
	if c.zip == nil {
		return
	}
	_ = c.zip.Close() // a client that went away is all that can fail
	c.giveBack()
}
