package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// api talks to the nodes as a client behind a load balancer does: in turn, and to
// the next one if one does not answer.
type api struct {
	nodes []*node
	token string
	turn  atomic.Int64
	// doubts counts requests of which it was not known whether they took effect.
	doubts atomic.Int64
}

// refusal is an answer that says no, and would again.
type refusal struct {
	Status int
	Code   string
	Text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Text) }

// refused reports whether a node refused, by a code of these if any are given.
func refused(err error, codes ...string) bool {
	var r *refusal
	if !errors.As(err, &r) {
		return false
	}
	for _, c := range codes {
		if r.Code == c {
			return true
		}
	}
	return len(codes) == 0
}

// patience is how long a node may take to answer.
const patience = 5 * time.Second

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}

// call asks until a node answers. What it asks for is not done twice if it is done
// under an id, or guarded by a version.
func (a *api) call(ctx context.Context, method, path string, body, into any, header ...string) error {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		n := a.nodes[int(a.turn.Add(1))%len(a.nodes)]
		err := a.once(ctx, n, method, path, body, into, header...)
		if err == nil || refused(err) {
			return err
		}
		a.doubts.Add(1)
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}

// once asks one node.
func (a *api) once(ctx context.Context, n *node, method, path string, body, into any, header ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, n.url()+"/api/v1"+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%s %s: %s %.200s", method, path, res.Status, answer)
	case res.StatusCode >= 300:
		return newRefusal(res.StatusCode, answer)
	case into == nil || len(answer) == 0:
		return nil
	}
	return json.Unmarshal(answer, into)
}

func newRefusal(status int, answer []byte) error {
	var body struct {
		Error struct{ Code, Message string } `json:"error"`
	}
	_ = json.Unmarshal(answer, &body) // an answer that is no JSON has no code
	return &refusal{status, body.Error.Code, body.Error.Message}
}

// list reads all pages of a list.
func list[T any](ctx context.Context, a *api, path string) (all []T, err error) {
	for cursor := ""; ; {
		var page struct {
			Items []T    `json:"items"`
			Next  string `json:"next"`
		}
		query := url.Values{"limit": {"500"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := a.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, page.Items...)
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}
