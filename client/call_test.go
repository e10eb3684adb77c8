package client_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

func TestARouteOfAModuleIsCalled(t *testing.T) {
	url, _ := start(t, server.Config{Data: t.TempDir()})
	c, ctx := connect(t, url), within(t)
	type document struct {
		ID, Title, Content string
	}
	for _, name := range []string{"a list & more.md", "b.md"} {
		d, err := client.Call[document](ctx, c, "POST", "/documents", client.File{Name: name, Data: []byte("- Call Anna\n- Buy milk\n")})
		if err != nil || d.Title != name[:len(name)-3] || d.Content == "" {
			t.Fatalf("got %+v, %v", d, err)
		}
	}
	titles := map[string]bool{}
	for d, err := range client.List[document](ctx, c, "/documents") {
		if err != nil {
			t.Fatal(err)
		}
		titles[d.Title] = true
	}
	if len(titles) != 2 || !titles["a list & more"] {
		t.Errorf("listed are %v", titles)
	}
	_, err := client.Call[struct{}](ctx, c, "POST", "/outcomes", map[string]string{"direction": "sideways", "object": "signups", "metric": "accounts", "clarifier": "by June"})
	var e *nestor.Error
	if !errors.As(err, &e) || e.Code != nestor.CodeInvalid || e.Details["field"] != "direction" {
		t.Errorf("the error is %v", err)
	}
}

// Each connection breaks in the middle of something, and yet every event comes once.
func TestAStreamOfAModuleIsFollowedThroughBrokenConnections(t *testing.T) {
	url, _ := start(t, server.Config{Data: t.TempDir()})
	p := newProxy(t, url)
	c, ctx := connect(t, url), within(t)
	send := func(path string, body any) map[string]any {
		t.Helper()
		answer, err := client.Call[map[string]any](ctx, c, "POST", path, body)
		if err != nil {
			t.Fatal(err)
		}
		return *answer
	}
	id := send("/documents", map[string]string{"title": "Shop", "content": "- Design the shop\n- Build the shop\n"})["id"].(string)
	for status := any(nil); status != "completed"; {
		d, err := client.Call[map[string]any](ctx, c, "GET", "/documents/"+id, nil)
		if err != nil {
			t.Fatal(err)
		}
		status = (*d)["status"]
	}
	send("/outcomes", map[string]string{"direction": "launch", "object": "the shop", "metric": "orders", "clarifier": "20 by June"})
	session := send("/agent/prioritize", nil)["session_id"].(string)

	p.lead(url, 4000) // more than the largest event, and less than all
	var ended []int
	completed := false
	for m, err := range connect(t, p.url).Follow(ctx, "/agent/sessions/"+session+"/events?follow=0") {
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Step   int `json:"step_number"`
			Status string
		}
		if err := json.Unmarshal(m.Data, &e); err != nil {
			t.Fatal(err)
		}
		if m.Name == "step_ended" {
			ended = append(ended, e.Step)
		}
		if completed = m.Name == "status" && e.Status == "completed"; completed {
			break
		}
	}
	for i, n := range ended {
		if n != i+1 {
			t.Fatalf("the steps are %v", ended)
		}
	}
	if len(ended) != 6 || !completed || p.broke() == 0 {
		t.Errorf("%d steps and the end (%t) came over connections of which %d broke", len(ended), completed, p.broke())
	}
	for _, err := range c.Follow(ctx, "/agent/sessions/nobody/events") {
		if !errors.Is(err, nestor.ErrNotFound) {
			t.Errorf("a stream of nothing: %v", err)
		}
	}
}
