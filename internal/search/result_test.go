package search_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/search"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
)

// An agent that works for somebody who may not read its chat, or not any more,
// gets none of its results back, and finds nothing.
func TestAnAgentReadsForThoseWhoMayRead(t *testing.T) {
	key, err := access.ParseKey(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	may, err := rules.New(rules.Options{Modules: map[string][]byte{"agents": agent.Module(agent.Settings{}).Rules}, Members: account.Members{}, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		err := s.Update(t.Context(), func(tx store.Tx) error {
			for _, d := range [][2]string{
				{"users/locked", `{"name":"Locked","disabled":true}`},
				{"accounts/team", `{"name":"Team","members":{"olga":"owner","mia":"member","locked":"member"}}`},
				{"users/mia/memberships/team", `{"role":"member"}`},
				{"users/olga/orch-chats/c1", `{"title":"word","accountId":"team"}`},
				{"users/olga/orch-chats/c1/tasks/t1", `{"type":"agent","name":"agent:x","instruction":"x","status":"running"}`},
				{"users/olga/orch-chats/c1/sub-agents/a1", `{"taskId":"t1","role":"x","status":"active","iterationCount":1}`},
				{"users/olga/orch-chats/c1/sub-agents/a1/tool-calls/k1", `{"toolName":"x","status":"success","result":"the result"}`},
			} {
				if _, err := tx.Create(nestor.Path(d[0]), json.RawMessage(d[1])); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			askers nestor.Askers
			want   nestor.Code
		}{
			"the chat's own user":        {nestor.Askers{"olga"}, ""},
			"nobody is named":            {nil, ""},
			"a member":                   {nestor.Askers{"mia"}, ""},
			"both":                       {nestor.Askers{"mia", "olga"}, ""},
			"somebody else":              {nestor.Askers{"eve"}, nestor.CodeNotFound},
			"somebody else spoke first":  {nestor.Askers{"eve", "olga"}, nestor.CodeNotFound},
			"somebody else spoke last":   {nestor.Askers{"olga", "eve"}, nestor.CodeNotFound},
			"a member who is locked out": {nestor.Askers{"olga", "locked"}, nestor.CodeForbidden},
		} {
			scope := tool.Scope{UserID: "olga", ChatID: "c1", SubAgentID: "a1", AskedBy: c.askers}
			text, _, err := search.New(s, may).ReadResult(t.Context(), scope, "k1", 0, 100)
			if nestor.CodeOf(err) != c.want || (text == "the result") != (c.want == "") {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			hits, err := search.New(s, may).Search(t.Context(), scope, "word", 5)
			if (len(hits) == 1) != (c.want == "") || nestor.CodeOf(err) == nestor.CodeForbidden != (c.want == nestor.CodeForbidden) {
				t.Errorf("%s: found %v, %v", name, hits, err)
			}
		}
	})
}
