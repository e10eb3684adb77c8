package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// user sends requests to the server with a key.
type user struct {
	server  *server
	id, key string
	client  *http.Client
	answers answers
}

// answers counts the answers by status.
type answers struct {
	mu sync.Mutex
	by map[string]int
}

func (a *answers) add(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[string]int{}
	}
	a.by[what]++
}

func (a *answers) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for _, what := range slices.Sorted(maps.Keys(a.by)) {
		all = append(all, fmt.Sprintf("%d × %s", a.by[what], what))
	}
	return strings.Join(all, ", ")
}

const password = "a long enough passphrase"

// user makes a user with a key that may do everything.
func (s *server) user(ctx context.Context, id string) (*user, error) {
	u := &user{server: s, id: id, key: token, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}, Timeout: 10 * time.Second}}
	if err := u.wants(ctx, "POST", "users", `{"id":"`+id+`","password":"`+password+`"}`); err != nil {
		return nil, err
	}
	in, err := u.request(ctx, "POST", "login", strings.NewReader(`{"login":"`+id+`","password":"`+password+`"}`))
	if err != nil {
		return nil, err
	}
	in.Header.Del("Authorization")
	in.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := u.client.Do(in)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	r, err := u.request(ctx, "POST", "keys", strings.NewReader(`{"name":"k","scopes":["write"]}`))
	if err != nil {
		return nil, err
	}
	r.Header.Del("Authorization")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range res.Cookies() {
		r.AddCookie(c)
	}
	status, body, err := u.do(r)
	if err != nil || status >= 300 {
		return nil, fmt.Errorf("a key for %s: %d %s %w", id, status, body, err)
	}
	var made struct{ Key string }
	u.answers.by = nil
	err = json.Unmarshal([]byte(body), &made)
	u.key = made.Key
	return u, err
}

func (u *user) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, u.server.URL+"/api/v1/"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+u.key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// send sends JSON, if there is some, and reads the answer.
func (u *user) send(ctx context.Context, method, path, body string) (status int, text string, err error) {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := u.request(ctx, method, path, content)
	if err != nil {
		return 0, "", err
	}
	return u.do(r)
}

func (u *user) do(r *http.Request) (int, string, error) {
	res, err := u.client.Do(r)
	if err != nil {
		u.answers.add("nothing")
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	u.answers.add(res.Status)
	return res.StatusCode, string(all), err
}

// wants is send for what must be answered well.
func (u *user) wants(ctx context.Context, method, path, body string) error {
	status, text, err := u.send(ctx, method, path, body)
	if err == nil && status >= 300 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, text)
	}
	return err
}

// upload uploads a file and returns its id.
func (u *user) upload(ctx context.Context, name, kind, content string) (string, error) {
	r, err := u.request(ctx, "POST", "files?filename="+name, strings.NewReader(content))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", kind)
	status, text, err := u.do(r)
	var f struct{ ID string }
	if err == nil && status < 300 {
		err = json.Unmarshal([]byte(text), &f)
	} else if err == nil {
		err = fmt.Errorf("upload: %d %.300s", status, text)
	}
	return f.ID, err
}
