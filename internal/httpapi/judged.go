package httpapi

import (
	"net/http"
	"slices"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
)

// An answer that takes long is judged again. The right by which somebody asked may end while
// they wait: a key is revoked, a user locked out, a member removed, a document hidden. A
// request notes which documents its answer tells of ([Request.Tells]). The contexts of
// [Request.Watch], [Request.OpenStream] and [Request.Outlive] end soon after the right does,
// and a [judged] writer sends nothing from then on.

// subjects are the documents that an answer tells of. All copies of a request share them.
type subjects struct {
	mu    sync.Mutex
	paths []nestor.Path
}

func (s *subjects) add(p nestor.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.paths, p) {
		s.paths = append(s.paths, p)
	}
}

// readable reports whether the caller of a judge may read all of them. One that was deleted
// hides nothing by itself.
func (s *subjects) readable(j *rules.Judge) error {
	s.mu.Lock()
	paths := s.paths // only ever grows
	s.mu.Unlock()
	for _, p := range paths {
		if err := j.MayAt(rules.Read, p); err != nil {
			return err
		}
	}
	return nil
}

func newRequest(r *http.Request, s *server) *Request { return &Request{r, s, &subjects{}} }

// with is the request with another one inside, and the same documents to tell of.
func (r *Request) with(inner *http.Request) *Request { return &Request{inner, r.server, r.tells} }

// Tells notes that the answer tells of the document at p. The caller gets nothing more of
// the answer once they may not read it.
func (r *Request) Tells(p nestor.Path) { r.tells.add(p) }

// Recheck is the request with what its caller may do by now, after it has waited. It fails
// if their session, key or grant has ended, or if they may not read what the answer tells of.
func (r *Request) Recheck() (*Request, error) {
	c, err := r.server.events.Judge(r.Context(), r.Caller(), r.tells.readable)
	return r.with(r.WithContext(access.WithCaller(r.Context(), c))), err
}

// judged sends an answer as long as the caller may have it. The first piece is sent or
// refused by what holds at that moment, and what comes later by what held half a second ago
// at most. After a refusal nothing is sent any more.
type judged struct {
	http.ResponseWriter
	req *Request
	// began: the client has got something. Refused says why it gets no more.
	began   bool
	refused error
}

func (j *judged) judge() error {
	if j.refused == nil {
		events := j.req.server.events
		judge := events.Judge
		if j.began {
			judge = events.JudgeLately
		}
		_, j.refused = judge(j.req.Context(), j.req.Caller(), j.req.tells.readable)
	}
	return j.refused
}

// WriteHeader implements [http.ResponseWriter].
func (j *judged) WriteHeader(status int) {
	if j.judge() == nil {
		j.began = true
		j.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (j *judged) Write(b []byte) (int, error) {
	if err := j.judge(); err != nil {
		return 0, err
	}
	j.began = true
	return j.ResponseWriter.Write(b)
}

// FlushError is found by [http.ResponseController].
func (j *judged) FlushError() error {
	if err := j.judge(); err != nil {
		return err
	}
	j.began = true
	return http.NewResponseController(j.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] find the writer below.
func (j *judged) Unwrap() http.ResponseWriter { return j.ResponseWriter }
