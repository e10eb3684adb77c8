package trigger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
)

// WebhookOptions configure a [Webhook].
type WebhookOptions struct {
	// PerHost is how many deliveries to one host run at the same time; further
	// ones wait. Defaults to 8.
	PerHost int
	// AllowPrivate permits targets on loopback, private and link-local
	// addresses. Defaults to false.
	AllowPrivate bool
	// Token makes a token with which the receiver can act as the user for a
	// while. It is asked once per attempt, for documents that belong to a user.
	// Defaults to no token.
	Token func(ctx context.Context, userID string, c *nestor.Change) (string, error)
}

// Webhook delivers the jobs whose action is a URL, signed by the Standard
// Webhooks convention. A redelivery carries the same webhook-id, so a receiver
// can tell that it has had the message already.
type Webhook struct {
	set    *Set
	opts   WebhookOptions
	client *http.Client
	hosts  *gates
}

// NewWebhook makes a webhook handler for the triggers of a set.
func NewWebhook(set *Set, o WebhookOptions) *Webhook {
	if o.PerHost == 0 {
		o.PerHost = 8
	}
	return &Webhook{
		set:  set,
		opts: o,
		// Every request has a deadline of its own.
		client: netguard.Client(netguard.Options{
			AllowPrivate: o.AllowPrivate, Timeout: -1, Permit: "start the server with --allow-private",
		}),
		hosts: newGates(o.PerHost),
	}
}

// Close closes the connections that no delivery is using.
func (w *Webhook) Close() { w.client.CloseIdleConnections() }

// Deliver makes one attempt. The job is done when it returns nil. Otherwise
// the error's code says whether another attempt makes sense: rate_limited,
// unavailable and timeout do; invalid, not_found and forbidden do not. An
// error may ask to wait at least so long; see [nestor.RetryAfter].
//
// The delivery goes to where the trigger points now, with the headers and the
// secret it has now: to correct a trigger corrects what is still queued. The
// trigger's timeout does not count the wait for other deliveries to the host.
func (w *Webhook) Deliver(ctx context.Context, job *nestor.Job) error {
	r := w.set.byID[job.Trigger]
	if r == nil || r.action.URL == nil {
		return nestor.Errorf(nestor.CodeNotFound, "there is no trigger %q with a webhook any more", job.Trigger)
	}
	host := strings.ToLower(r.action.URL.Host)
	release, err := w.hosts.enter(ctx, host)
	if err != nil {
		return interrupted(ctx, host)
	}
	defer release()

	timeout := time.Duration(r.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout,
		nestor.Errorf(nestor.CodeTimeout, "there was no answer in %s", short(timeout)))
	defer cancel()
	token, err := w.token(ctx, job)
	if err != nil {
		return err
	}
	req, err := request(ctx, r, job, token)
	if err != nil {
		return err
	}
	res, err := w.client.Do(req)
	if err != nil {
		return unreachable(ctx, host, err)
	}
	defer res.Body.Close()
	return judgeResponse(host, res, secrets(r, token))
}

func (w *Webhook) token(ctx context.Context, job *nestor.Job) (string, error) {
	user := job.Change.Path.UserID()
	if w.opts.Token == nil || user == "" {
		return "", nil
	}
	return w.opts.Token(ctx, user, &job.Change)
}

// delivery is the body of a webhook.
type delivery struct {
	TriggerID  string            `json:"triggerId"`
	Event      nestor.ChangeType `json:"event"`
	Path       nestor.Path       `json:"path"`
	Collection string            `json:"collection"`
	DocumentID string            `json:"documentId"`
	Seq        int64             `json:"seq"`
	Before     *nestor.Document  `json:"before"`
	After      *nestor.Document  `json:"after"`
	// TS is when the change happened, in Unix milliseconds.
	TS    int64  `json:"ts"`
	Token string `json:"token,omitempty"`
}

// ownHeaders are set by the delivery or the HTTP client, in lower case.
var ownHeaders = []string{
	"webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "content-length", "host", "connection",
	"transfer-encoding", "trailer", "upgrade",
}

func request(ctx context.Context, r *rule, job *nestor.Job, token string) (*http.Request, error) {
	c := &job.Change
	body, err := json.Marshal(delivery{
		TriggerID: r.ID, Event: c.Type, Path: c.Path, Collection: c.Path.Collection(), DocumentID: c.Path.ID(),
		Seq: c.Seq, Before: c.Before, After: c.After, TS: c.At, Token: token,
	})
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInternal, "write the webhook for %s: %w", c.Path, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.action.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the URL of trigger %q is invalid", r.ID)
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "nestor")
	}
	now := time.Now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(standardwebhooks.HeaderWebhookID, job.ID)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	if r.signer != nil {
		signature, err := r.signer.Sign(job.ID, now, body)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInternal, "sign the webhook for %s: %w", c.Path, err)
		}
		req.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	}
	return req, nil
}

// unreachable explains a request without an answer. It leaves out the URL,
// which may hold a secret of its own.
func unreachable(ctx context.Context, host string, err error) error {
	var refused *nestor.Error
	if errors.As(err, &refused) && refused.Code == nestor.CodeForbidden {
		return nestor.Errorf(nestor.CodeForbidden, "webhook to %s: %s", host, refused.Message)
	}
	if ctx.Err() != nil {
		return interrupted(ctx, host)
	}
	return nestor.Errorf(nestor.CodeUnavailable, "webhook to %s failed: %w", host, withoutURL(err))
}

// interrupted explains a delivery whose context ended, by the code of the
// cause: a timeout, or whatever stopped the worker.
func interrupted(ctx context.Context, host string) error {
	cause := context.Cause(ctx)
	code := nestor.CodeCancelled
	var known *nestor.Error
	switch {
	case errors.As(cause, &known):
		code = known.Code
	case errors.Is(cause, context.DeadlineExceeded):
		code = nestor.CodeTimeout
	}
	return nestor.Errorf(code, "webhook to %s: %w", host, cause)
}
