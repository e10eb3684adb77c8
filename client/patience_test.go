package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// busy is a server that refuses some requests because there is too much to do.
type busy struct {
	refusals int
	after    string // when it says to come again
	bodies   []string
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	b.bodies = append(b.bodies, string(body))
	if len(b.bodies) > b.refusals {
		return &http.Response{StatusCode: http.StatusCreated, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"id":"m1"}`))}, nil
	}
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {b.after}},
		Body: io.NopCloser(strings.NewReader(`{"error":{"code":"rate_limited","message":"too much waits"}}`)),
	}, nil
}

func TestACallWaitsForAServerThatHasTooMuchToDo(t *testing.T) {
	for name, tt := range map[string]struct {
		server     busy
		patience   time.Duration
		cancel     bool // after the first refusal
		fails      error
		sent, told int
		atLeast    time.Duration
		most       time.Duration
	}{
		"as long as it asks for":                      {server: busy{refusals: 3, after: "5"}, patience: time.Minute, sent: 4, told: 3, atLeast: 15 * time.Second, most: 20 * time.Second},
		"and no longer than its patience":             {server: busy{refusals: 100, after: "10"}, patience: 25 * time.Second, fails: nestor.ErrRateLimited, sent: 3, told: 2, atLeast: 20 * time.Second, most: 25 * time.Second},
		"not for one that asks for more than that":    {server: busy{refusals: 1, after: "3600"}, patience: time.Minute, fails: nestor.ErrRateLimited, sent: 1},
		"not for one that does not say how long":      {server: busy{refusals: 1}, patience: time.Minute, fails: nestor.ErrRateLimited, sent: 1},
		"until the caller has had enough":             {server: busy{refusals: 100, after: "5"}, patience: time.Minute, cancel: true, fails: context.Canceled, sent: 1, told: 1},
		"not at all if it was told not to be patient": {server: busy{refusals: 1, after: "5"}, fails: nestor.ErrRateLimited, sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				told := 0
				c := client.New("http://nestor", "token")
				c.HTTP, c.Patience = &http.Client{Transport: &tt.server}, tt.patience
				c.Waiting = func(wait time.Duration, why error) {
					if told++; wait < 5*time.Second || !errors.Is(why, nestor.ErrRateLimited) {
						t.Errorf("it waits %v because of %v", wait, why)
					}
					if tt.cancel {
						cancel()
					}
				}
				began := time.Now()
				_, err := c.Say(ctx, "c1", "hello")
				took := time.Since(began)
				if !errors.Is(err, tt.fails) || len(tt.server.bodies) != tt.sent || told != tt.told {
					t.Errorf("after %v, %d requests and %d pauses that were told: %v", took, len(tt.server.bodies), told, err)
				}
				if took < tt.atLeast || took > tt.most {
					t.Errorf("it took %v, want %v to %v", took, tt.atLeast, tt.most)
				}
				for _, body := range tt.server.bodies {
					if body != tt.server.bodies[0] || !strings.Contains(body, "hello") {
						t.Errorf("sent were %q", tt.server.bodies)
					}
				}
				if wait, asked := nestor.WaitOf(err); tt.fails == nestor.ErrRateLimited && asked != (tt.server.after != "") {
					t.Errorf("the error asks for %v, %v", wait, asked)
				}
			})
		})
	}
}
