package store

import (
	"testing"

	"github.com/nestorhq/nestor"
)

func TestAScopeIsACollectionPathWhoseLastIDsMayBeOpen(t *testing.T) {
	for pattern, want := range map[string]struct {
		of       *Collection
		from, to string
	}{
		"users/u1/orch-chats":                           {Chats, "users/u1/orch-chats/", ""},
		"users/u1/orch-chats/c1/messages":               {Messages, "users/u1/orch-chats/c1/messages/", ""},
		"users/u1/orch-chats/*/tasks":                   {Tasks, "users/u1/orch-chats/", "users/u1/orch-chats0"},
		"users/u1/orch-chats/c1/tasks":                  {Tasks, "users/u1/orch-chats/c1/tasks/", ""},
		"users/u1/orch-chats/c1/sub-agents/a1/messages": {SubAgentMessages, "users/u1/orch-chats/c1/sub-agents/a1/messages/", ""},
		"users/u1/notes":                                {UserDocuments, "users/u1/notes/", ""},
		"plans":                                         {UserDocuments, "plans/", ""},
	} {
		s, err := DefaultCatalogue.Scope(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if from, to := s.Parents(); s.Collection != want.of || from != want.from || to != want.to {
			t.Errorf("%s is of %s, between %q and %q", pattern, s.Collection.Name, from, to)
		}
		if got := s.Documents(); got != nestor.Glob(pattern+"/*") {
			t.Errorf("%s has the documents %s", pattern, got)
		}
	}
}

func TestAScopeIsNotWiderThanItsIndex(t *testing.T) {
	for _, pattern := range []string{
		"", "users", "users/u1", "users/u1/orch-chats/c1", // the last three are or name documents
		"users/*/orch-chats", "users/*/orch-chats/*/tasks", "users/*/orch-chats/c1/tasks",
		"users/u1/orch-chats/*/messages", "users/u1/orch-chats/c1/sub-agents/*/messages", "users/u1/orch-chats/*/sub-agents",
		"users/u1/*", "users/u1/**", "users/*/notes", "users/u1/no*tes", "users/u1/orch-chats/**/tasks", "users/u1/orch-chats/../tasks",
		"*", "users/u1/orch-chats//tasks",
	} {
		if s, err := DefaultCatalogue.Scope(pattern); err == nil && pattern != "users" || err != nil && nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%q is the scope %+v, %v", pattern, s, err)
		}
	}
}

func FuzzScope(f *testing.F) {
	for _, seed := range []string{"users/u1/orch-chats/*/tasks", "users/u1/notes", "plans", "users/*/x", "a/*/", "*/*/*", "-/-/-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		s, err := DefaultCatalogue.Scope(pattern)
		if err != nil {
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("%q: %v", pattern, err)
			}
			return
		}
		if _, err := nestor.ParseGlob(string(s.Documents())); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
		columns, values := s.Key()
		if len(columns) != len(values) || len(columns) < 1 || len(s.Columns(nil))+len(columns) != len(s.Collection.Columns()) {
			t.Errorf("%q has the key %v, %v", pattern, columns, values)
		}
	})
}
