package openai

import (
	"crypto/sha256"
	"encoding/hex"
	sums "hash"
	"io"
	"strconv"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// The stock clients repeat a request by themselves when it times out or its connection
// breaks. They say how often they have in a header, and send no Idempotency-Key. So each
// first request is noted with a hash of its body, and a repeated one finds what the first
// one began: after a crash, too, and through another node.

// The headers of the stock clients: how often a request was repeated, and after how many
// seconds they give it up.
const (
	retryCount  = "X-Stainless-Retry-Count"
	clientWaits = "X-Stainless-Timeout"
)

const (
	// retryPause is above the time that stock clients let pass before they repeat a
	// request, if the server names none.
	retryPause = 10 * time.Second
	// slowPause is the longest pause that a server may ask of them.
	slowPause = time.Minute
	// clientWaitsMostly is how long they wait if they do not say, and clientWaitsMost how
	// long they are believed to.
	clientWaitsMostly = 10 * time.Minute
	clientWaitsMost   = time.Hour
	// attemptsKept is how long a request is known after its last attempt.
	attemptsKept = 4 * time.Hour
	// mostAlike is how many requests with one body are looked at, newest first.
	mostAlike = 100
)

// Attempts are the notes about requests that their clients may repeat.
var Attempts = func() *store.Collection {
	c := ours(store.NewCollection[OpenAIAttempt]("openai_attempts", nil, "users/{userId}/openai-attempts/{id}", store.Column[string]("request")))
	c.Indexes = [][]string{{"request"}}
	return c
}()

// OpenAIAttempt, as the API calls it, is a request that may come again, stored at users/{userId}/openai-attempts/{id}.
// Its id is that of the message that it says.
type OpenAIAttempt struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	// Request is the hash of who asks, with which credential, and of what is asked.
	Request string `json:"request"`
	// Repeated is how often it was repeated.
	Repeated int `json:"repeated,omitempty"`
	// AnsweredAt is when the client had been sent all of an answer, in Unix milliseconds.
	AnsweredAt int64 `json:"answeredAt,omitempty"`
}

// attempt is one time that a client sends a request.
type attempt struct {
	req *httpapi.Request
	// counted: the client says how often it repeated the request.
	counted bool
	count   int
	body    sums.Hash
	// noted is where the request is noted, "" if it is not.
	noted nestor.Path
}

// newAttempt begins to read a request, before its body is.
func newAttempt(req *httpapi.Request) *attempt {
	t := &attempt{req: req, body: sha256.New()}
	n, err := strconv.Atoi(req.Header.Get(retryCount))
	t.counted, t.count = err == nil && n >= 0, n
	req.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(req.Body, t.body), req.Body}
	return t
}

// messageID is the id of what the request says: the one that it had before, if it is
// repeated.
func (t *attempt) messageID() (string, error) {
	if key := t.req.Header.Get("Idempotency-Key"); key != "" {
		return nestor.DeriveID("openai", t.req.UserID(), key), nil
	}
	fresh := nestor.NewID()
	if !t.counted {
		return fresh, nil
	}
	own := nestor.Path("users/"+t.req.UserID()).Child("openai-attempts", fresh)
	caller := t.req.Caller()
	request := nestor.DeriveID("openai-request", string(caller.Kind), caller.ID, t.req.URL.Path, hex.EncodeToString(t.body.Sum(nil)))
	err := t.req.Act(own, func(tx store.Tx) error {
		t.noted = own
		if t.count > 0 {
			before, err := t.before(tx, request)
			if err != nil {
				return err
			}
			if before != nil {
				t.noted = before.Path
				_, err = tx.Patch(before.Path, map[string]any{"repeated": t.count}, store.AnyVersion)
				return err
			}
		}
		_, err := tx.Put(own, OpenAIAttempt{Request: request, Repeated: t.count}, store.AnyVersion)
		return err
	})
	return t.noted.ID(), err
}

// before is the newest request that this one may repeat, nil if there is none.
func (t *attempt) before(tx store.Tx, request string) (*nestor.Document, error) {
	page, err := tx.Query(store.Query{
		Collection: "users/" + t.req.UserID() + "/openai-attempts", Where: store.Where("request", store.Eq, request),
		OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: mostAlike,
	})
	if err != nil {
		return nil, err
	}
	for _, d := range page.Items {
		if d, err = store.FindDocument(tx, d.Path); err != nil || d == nil { // locked: another one may have taken it
			return nil, err
		}
		a, err := nestor.As[OpenAIAttempt](d)
		if err != nil {
			return nil, err
		}
		if t.repeats(&a, time.Now()) {
			return d, nil
		}
	}
	return nil, nil
}

// repeats reports whether this may be the next attempt of a request: no other was its
// next one, it came no earlier than the client had to wait for it, and it was not answered
// unless the answer was lost on its way.
func (t *attempt) repeats(a *OpenAIAttempt, now time.Time) bool {
	if a.Repeated >= t.count || a.AnsweredAt > 0 && nestor.Millis(now)-a.AnsweredAt > retryPause.Milliseconds() {
		return false
	}
	waits := clientWaitsMostly
	if s, err := strconv.Atoi(t.req.Header.Get(clientWaits)); err == nil && s >= 0 {
		waits = min(time.Duration(s)*time.Second, clientWaitsMost)
	}
	late := time.Duration(min(t.count-a.Repeated, 3)) * (waits + slowPause)
	return nestor.Millis(now)-a.UpdatedAt <= (late + slowPause).Milliseconds()
}

// answered notes that the client was sent all of an answer, if it is still there. If that
// fails, the request is repeated with what it began, which is right, too.
func (t *attempt) answered() {
	if t.noted == "" || t.req.Context().Err() != nil {
		return
	}
	_ = t.req.Act(t.noted, func(tx store.Tx) error {
		_, err := tx.Patch(t.noted, map[string]any{"answeredAt": nestor.Millis(time.Now())}, store.AnyVersion)
		return err
	})
}
