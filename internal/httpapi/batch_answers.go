package httpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Answers to batches with an Idempotency-Key are kept where no caller reaches
// them. A batch and its answer are written together: there is an answer exactly
// if the batch took effect.
const (
	// Answers matches the collections of answers, one of each user.
	Answers = nestor.Secrets + "/*/batches"
	// AnswersKept is how long an answer is given again.
	AnswersKept = 24 * time.Hour
)

func answerPath(user, id string) nestor.Path {
	// A grant for documents that are no user's has no user.
	return nestor.Path(nestor.Secrets+"/"+cmp.Or(user, "_")).Child("batches", id)
}

// ForgetAnswers removes the answers to a user who is about to be deleted.
func ForgetAnswers(tx store.Tx, user string) error {
	return store.Clear(tx, answerPath(user, "x").Collection())
}

// answerKey finds the answer to a request that is repeated. Without an
// Idempotency-Key its path is "", and there is nothing to find.
type answerKey struct {
	path    nestor.Path
	request string // a digest of what was asked
}

type keptAnswer struct {
	nestor.Meta
	Request string      `json:"request"`
	Answer  batchAnswer `json:"answer"`
}

// newAnswerKey is the key of a batch. Another user has another key, and so has
// a credential that reaches other documents: nobody is told what became of a
// batch that they could not have sent.
func newAnswerKey(r *http.Request, b batch) (answerKey, error) {
	key, c := r.Header.Get("Idempotency-Key"), callerOf(r)
	if key == "" {
		return answerKey{}, nil
	}
	if err := checkKey(key); err != nil {
		return answerKey{}, err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return answerKey{}, err
	}
	sum := sha256.Sum256(text)
	parts := []string{"batch", c.UserID, string(c.Grant.Path), key}
	if c.Kind == access.WithKey {
		parts = append(parts, c.Scopes...)
	}
	return answerKey{answerPath(c.UserID, nestor.DeriveID(parts...)), hex.EncodeToString(sum[:])}, nil
}

// find returns the answer that was given before, nil if there is none.
func (k answerKey) find(r store.Reader) (*batchAnswer, error) {
	if k.path == "" {
		return nil, nil
	}
	kept, err := store.Find[keptAnswer](r, k.path)
	if err != nil || kept == nil {
		return nil, err
	}
	if kept.Request != k.request {
		return nil, nestor.Errorf(nestor.CodeExists, "another batch was sent with this Idempotency-Key").With("field", "Idempotency-Key")
	}
	return &kept.Answer, nil
}

func (k answerKey) keep(tx store.Tx, a *batchAnswer) error {
	if k.path == "" {
		return nil
	}
	_, err := tx.Create(k.path, keptAnswer{Request: k.request, Answer: *a})
	return err
}
