package rules_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func change(p nestor.Path, before, after string) *nestor.Change {
	c := &nestor.Change{Path: p, Type: nestor.Update}
	switch "" {
	case before:
		c.Type = nestor.Create
	case after:
		c.Type = nestor.Delete
	}
	if before != "" {
		c.Before = &nestor.Document{Path: p, Data: json.RawMessage(before)}
	}
	if after != "" {
		c.After = &nestor.Document{Path: p, Data: json.RawMessage(after)}
	}
	return c
}

func TestWhatAStreamShows(t *testing.T) {
	e, _ := newEngine(t, "")
	inTeam, inHome := household[team], household[mine]
	for name, c := range map[string]struct {
		caller access.Caller
		change *nestor.Change
		want   rules.Sight
	}{
		"a change of what is shared":              {session("vic"), change(team, inTeam, inTeam), rules.Shown},
		"a change of what is private":             {session("vic"), change(mine, inHome, inHome), rules.Hidden},
		"a new chat in an account":                {session("vic"), change(mine, "", inTeam), rules.Shown},
		"a chat that comes into an account":       {session("vic"), change(mine, inHome, inTeam), rules.Shown},
		"a chat that leaves an account":           {session("vic"), change(team, inTeam, inHome), rules.Gone},
		"a chat that leaves an account, to ada":   {session("ada"), change(team, inTeam, inHome), rules.Shown},
		"a chat that is deleted":                  {session("vic"), change(team, inTeam, ""), rules.Shown},
		"a private chat that is deleted":          {session("vic"), change(mine, inHome, ""), rules.Hidden},
		"a message in what is shared":             {session("vic"), change(team.Child("messages", "x"), "", `{}`), rules.Shown},
		"a message gone with its chat":            {session("vic"), change("users/ada/orch-chats/gone/messages/x", `{}`, ""), rules.Hidden},
		"a message gone with its chat, to ada":    {session("ada"), change("users/ada/orch-chats/gone/messages/x", `{}`, ""), rules.Shown},
		"somebody else's":                         {session("zoe"), change(team, inTeam, inTeam), rules.Hidden},
		"a secret":                                {local, change("secrets/ada", "", `{}`), rules.Hidden},
		"something else, to the bearer of a hook": {webhook("ada", team), change(mine, inHome, inHome), rules.Hidden},
		"something, after the end of a session":   {ended(session("ada")), change(mine, inHome, inHome), rules.Hidden},
	} {
		got, err := e.On(inMemory(household), c.caller).Sees(c.change)
		if got != c.want || err != nil {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

func TestAJudgeLearnsWithinASecondWhoIsStillAMember(t *testing.T) {
	docs := maps.Clone(household)
	e, clock := newEngine(t, "")
	j := e.On(inMemory(docs), session("vic"))
	message := change(team.Child("messages", "x"), "", `{}`)
	sight := func() rules.Sight {
		t.Helper()
		s, err := j.Sees(message)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if sight() != rules.Shown {
		t.Fatal("it is hidden from a viewer")
	}
	docs["accounts/acme"] = `{"members":{"olga":"owner"}}`
	clock.now = clock.now.Add(time.Second)
	if sight() != rules.Hidden {
		t.Error("who was removed still sees it")
	}
	docs["accounts/acme"] = household["accounts/acme"]
	docs[team] = `{"accountId":"home"}`
	clock.now = clock.now.Add(time.Second)
	if sight() != rules.Hidden {
		t.Error("what moved to another account is still seen")
	}
}

// broken is a database that does not answer.
type broken struct{}

func (broken) Get(nestor.Path) (*nestor.Document, error) {
	return nil, nestor.Errorf(nestor.CodeUnavailable, "no connection")
}

func (broken) Query(store.Query) (store.Page, error) {
	return store.Page{}, nestor.Errorf(nestor.CodeUnavailable, "no connection")
}

func TestWithoutTheDatabaseNothingIsDecided(t *testing.T) {
	e, _ := newEngine(t, "")
	j := e.On(broken{}, session("vic"))
	for name, err := range map[string]error{
		"a message in another's chat": j.May(rules.Read, team.Child("messages", "m"), nil, nil),
		"a new message there":         j.May(rules.Create, team.Child("messages", "m"), nil, change(team, "", `{"role":"user"}`).After),
		"an account":                  j.May(rules.Act, "accounts/acme", nil, nil),
		"a chat in an account":        j.May(rules.Create, "users/vic/orch-chats/c", nil, change(team, "", household[team]).After),
		"a change":                    func() error { _, err := j.Sees(change(team, household[team], "")); return err }(),
		"a list of chats": func() error {
			_, err := e.Reader(broken{}, session("vic")).Query(store.Query{Flat: "chats"})
			return err
		}(),
		"what is readable":            func() error { _, err := j.Readable("chats"); return err }(),
		"whether an account is one's": func() error { _, err := j.Shifts(change("users/vic/memberships/acme", "", `{}`)); return err }(),
	} {
		if nestor.CodeOf(err) != nestor.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	not, _ := newEngine(t, `{"rules":[{"id":"r","path":"things/{id}","operations":["read"],"condition":"request.auth.role('acme') != 'banned'"}]}`)
	if err := not.On(broken{}, session("vic")).May(rules.Read, "things/t", nil, nil); nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("what is allowed to all but some: %v", err)
	}
	if err := j.May(rules.Read, "users/vic/notes/n", nil, nil); err != nil {
		t.Errorf("what needs no look-up: %v", err)
	}
}

func TestAChangeOfMembershipShiftsWhatAStreamFollows(t *testing.T) {
	e, clock := newEngine(t, "")
	house := maps.Clone(household)
	house["accounts/own"] = `{"personal":true,"members":{"vic":"owner"}}`
	j := e.On(inMemory(house), session("vic"))
	for name, tt := range map[string]struct {
		path          nestor.Path
		before, after string
		want          bool
	}{
		"joining":                   {"users/vic/memberships/acme", "", `{}`, true},
		"leaving":                   {"users/vic/memberships/acme", `{}`, "", true},
		"leaving what is gone":      {"users/vic/memberships/none", `{}`, "", true},
		"another role":              {"users/vic/memberships/acme", `{}`, `{}`, false},
		"the personal account":      {"users/vic/memberships/own", "", `{}`, false},
		"somebody else's joining":   {"users/ada/memberships/acme", "", `{}`, false},
		"an account":                {"accounts/acme", "", `{}`, false},
		"a chat":                    {team, "", `{}`, false},
		"what is below memberships": {"users/vic/memberships/acme/notes/n", "", `{}`, false},
	} {
		if got, err := j.Shifts(change(tt.path, tt.before, tt.after)); got != tt.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	// What was believed of the caller's roles is not believed any more.
	if err := j.May(rules.Read, team.Child("tasks", "t"), nil, nil); err != nil {
		t.Fatal(err)
	}
	house["accounts/acme"] = `{"members":{"olga":"owner"}}`
	if _, err := j.Shifts(change("users/vic/memberships/acme", `{}`, "")); err != nil {
		t.Fatal(err)
	}
	if err := j.May(rules.Read, team.Child("tasks", "t"), nil, nil); nestor.CodeOf(err) != nestor.CodeNotFound {
		t.Errorf("in the same moment, %v: %v", clock.now, err)
	}
}

func TestALiveReaderSeesWhatIsThereNow(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, clock := newEngine(t, "")
		j := e.On(rules.Live(t.Context(), s), session("vic"))
		if err := j.May(rules.Read, team.Child("tasks", "t"), nil, nil); err != nil {
			t.Error(err)
		}
		globs, err := j.Readable("chats")
		if err != nil || len(globs) != 4 { // of the members of acme
			t.Errorf("globs %v, %v", globs, err)
		}
		err = s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Put("accounts/acme", json.RawMessage(`{"members":{"olga":"owner"}}`), store.AnyVersion)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		clock.now = clock.now.Add(time.Second)
		if err := j.May(rules.Read, team.Child("tasks", "t"), nil, nil); nestor.CodeOf(err) != nestor.CodeNotFound {
			t.Errorf("after the end of the membership: %v", err)
		}
	})
}
