package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
)

type nobody struct{}

func (nobody) Role(store.Reader, string, string) (string, error) { return "", nil }

// A stream decides about every change for every subscriber.
func BenchmarkReadingAMessageOfOnesOwn(b *testing.B) {
	e, err := rules.New(rules.Options{Modules: modules, Members: nobody{}})
	if err != nil {
		b.Fatal(err)
	}
	j := e.On(nil, access.Caller{UserID: "u1", Kind: access.InSession})
	d := &nestor.Document{Path: "users/u1/orch-chats/c1/messages/m1", Data: json.RawMessage(`{"role":"user","content":"hi"}`)}
	b.ReportAllocs()
	for b.Loop() {
		if err := j.May(rules.Read, d.Path, d, nil); err != nil {
			b.Fatal(err)
		}
	}
}
