package trigger_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

func TestAConditionSees(t *testing.T) {
	const path = "users/u1/notes/n1"
	create := event(path, "", `{"title":"hi","count":3,"ratio":1.5,"done":true,"none":null,"tags":["a","b"],"author":{"name":"Ann"},"path":"own","data":"own"}`)
	update := event(path, `{"status":"open"}`, `{"status":"closed"}`)
	remove := event(path, `{"status":"open"}`, "")
	for name, test := range map[string]struct {
		event     *store.Event
		condition string
	}{
		"the type of a create":                       {create, "event.type == 'create'"},
		"the type of an update":                      {update, "event.type == 'update'"},
		"the type of a delete":                       {remove, "event.type == 'delete'"},
		"the path":                                   {create, "event.path == 'users/u1/notes/n1'"},
		"the time":                                   {create, "event.timestamp == timestamp('2023-11-14T22:13:20.5Z')"},
		"the body under data":                        {create, "event.document.data.title == 'hi'"},
		"the body flattened":                         {create, "event.document.title == 'hi'"},
		"nested objects":                             {create, "event.document.author.name == 'Ann' && event.document.data.author['name'] == 'Ann'"},
		"lists":                                      {create, "event.document.tags.exists(t, t == 'b') && 'a' in event.document.tags && size(event.document.tags) == 2"},
		"numbers, whole or not":                      {create, "event.document.count == 3 && event.document.count > 2.5 && event.document.ratio == 1.5"},
		"booleans":                                   {create, "event.document.done"},
		"null as null":                               {create, "event.document.none == null"},
		"whether a field is there":                   {create, "has(event.document.title) && !has(event.document.nope) && !has(event.document.data.nope)"},
		"the document's path, not a field path":      {create, "event.document.path == 'users/u1/notes/n1' && event.document.data.path == 'own'"},
		"the body as data, not a field data":         {create, "event.document.data.data == 'own'"},
		"id, version and seq":                        {create, "event.document.id == 'n1' && event.document.version == 7 && event.document.seq == 107"},
		"the times of the document":                  {create, "event.document.createdAt == 1700000000000 && event.document.updatedAt == 1700000000007"},
		"no document before a create":                {create, "event.before == null && !has(event.before)"},
		"the document before an update":              {update, "event.before.status == 'open' && event.before.data.status == 'open' && event.before.version == 6"},
		"the document before and after an update":    {update, "event.document.status != event.before.status"},
		"the deleted document":                       {remove, "event.document.status == 'open' && event.document.id == 'n1'"},
		"the deleted document as before, too":        {remove, "event.before.status == 'open'"},
		"texts by a regular expression":              {create, "event.document.title.matches('^h.$')"},
		"a value that is true or false only at last": {create, "event.document.done ? event.document.done : event.document.title"},
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t, nestor.Trigger{
				ID: "t", Collection: "users/*/notes", Action: "POST /webhook/x", Condition: test.condition,
				Events: []nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete},
			})
			if jobs := set.Plan(test.event); len(jobs) != 1 {
				t.Errorf("%s did not fire: %s", test.condition, set.Explain(test.event)[0].Reason)
			}
		})
	}
}

func TestATriggerFires(t *testing.T) {
	const open, closed = `{"status":"open"}`, `{"status":"closed"}`
	all := []nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete}
	for name, test := range map[string]struct {
		trigger nestor.Trigger
		event   *store.Event
		fires   bool
	}{
		"on a create where the condition holds":           {nestor.Trigger{Condition: "event.document.status == 'open'"}, event("notes/n1", "", open), true},
		"not on a create where it does not hold":          {nestor.Trigger{Condition: "event.document.status == 'open'"}, event("notes/n1", "", closed), false},
		"on the update by which the condition holds":      {nestor.Trigger{Condition: "event.document.status == 'open'"}, event("notes/n1", closed, open), true},
		"not on an update while it goes on holding":       {nestor.Trigger{Condition: "event.document.status == 'open'"}, event("notes/n1", open, `{"status":"open","n":1}`), false},
		"not on the update by which it ceases to":         {nestor.Trigger{Condition: "event.document.status == 'open'"}, event("notes/n1", open, closed), false},
		"on an update that adds the field":                {nestor.Trigger{Condition: "event.document.status == 'open'"}, event("notes/n1", `{}`, open), true},
		"on every update, if it looks at before":          {nestor.Trigger{Condition: "event.document.status == 'open' && event.before.status == 'open'"}, event("notes/n1", open, open), true},
		"on every update, if it asks whether before is":   {nestor.Trigger{Condition: "has(event.before) && event.document.status == 'open'"}, event("notes/n1", open, open), true},
		"not when one of two ways to hold is half true":   {nestor.Trigger{Condition: "event.document.status == 'open' && event.document.n == 1 || event.document.status == 'held'"}, event("notes/n1", "", `{"status":"open","n":2}`), false},
		"not on a transition that before rules out":       {nestor.Trigger{Condition: "event.document.status == 'open' && event.before.status == 'held'"}, event("notes/n1", closed, open), false},
		"on an update if only event.type is asked":        {nestor.Trigger{Condition: "event.type == 'update' && event.document.status == 'open'"}, event("notes/n1", closed, open), true},
		"on every update, if only the event is asked":     {nestor.Trigger{Condition: "event.type == 'update'"}, event("notes/n1", open, open), true},
		"on every update, if only the identity is asked":  {nestor.Trigger{Condition: "event.document.id == 'n1' && event.document.path == 'notes/n1' && event.document.createdAt > 0"}, event("notes/n1", open, open), true},
		"not on every update, if the state is asked, too": {nestor.Trigger{Condition: "event.document.id == 'n1' && event.document.data.status == 'open'"}, event("notes/n1", open, open), false},
		"not on every update, if the whole is asked":      {nestor.Trigger{Condition: "size(event.document) > 3"}, event("notes/n1", open, open), false},
		"on a delete by the deleted document":             {nestor.Trigger{Condition: "event.document.status == 'open'", Events: all}, event("notes/n1", open, ""), true},
		"not on a delete by another document":             {nestor.Trigger{Condition: "event.document.status == 'open'", Events: all}, event("notes/n1", closed, ""), false},
		"not on a delete by default":                      {nestor.Trigger{}, event("notes/n1", open, ""), false},
		"on a create without a condition":                 {nestor.Trigger{}, event("notes/n1", "", open), true},
		"on every update without a condition":             {nestor.Trigger{}, event("notes/n1", open, open), true},
		"not on events it does not listen to":             {nestor.Trigger{Events: []nestor.ChangeType{nestor.Update}}, event("notes/n1", "", open), false},
		"not in other collections":                        {nestor.Trigger{}, event("tasks/n1", "", open), false},
		"not in collections below its own":                {nestor.Trigger{}, event("notes/n1/parts/p1", "", open), false},
		"in every collection below a **":                  {nestor.Trigger{Collection: "notes/**"}, event("notes/n1/parts/p1", "", open), true},
		"not when the condition cannot be evaluated":      {nestor.Trigger{Condition: "event.document.nope.deeper == 1"}, event("notes/n1", "", open), false},
		"not when it gives something else than a boolean": {nestor.Trigger{Condition: "event.document.status"}, event("notes/n1", "", open), false},
		"not when it is disabled":                         {nestor.Trigger{Enabled: new(false)}, event("notes/n1", "", open), false},
	} {
		t.Run(name, func(t *testing.T) {
			test.trigger.ID, test.trigger.Action = "t", "POST /webhook/x"
			if test.trigger.Collection == "" {
				test.trigger.Collection = "notes"
			}
			set := newSet(t, test.trigger)
			if jobs := set.Plan(test.event); (len(jobs) == 1) != test.fires {
				t.Errorf("planned %d jobs: %s", len(jobs), set.Explain(test.event)[0].Reason)
			}
		})
	}
}

func TestAJobCarriesWhatItsActionNeeds(t *testing.T) {
	const path = "users/u1/notes/n1"
	before, after := document(path, 6, `{"a":1}`), document(path, 7, `{"a":2}`)
	for name, test := range map[string]struct {
		trigger       nestor.Trigger
		event         *store.Event
		before, after *nestor.Document
	}{
		"a built-in handler reads the document itself":  {nestor.Trigger{Action: "POST /webhook/x"}, event(path, `{"a":1}`, `{"a":2}`), nil, nil},
		"a built-in handler is given what was deleted":  {nestor.Trigger{Action: "POST /webhook/x"}, event(path, `{"a":1}`, ""), before, nil},
		"a webhook is given the document":               {nestor.Trigger{Action: "https://example.com/x"}, event(path, `{"a":1}`, `{"a":2}`), nil, after},
		"a webhook is given the old document on demand": {nestor.Trigger{Action: "https://example.com/x", IncludeBefore: true}, event(path, `{"a":1}`, `{"a":2}`), before, after},
		"a webhook is given what was deleted":           {nestor.Trigger{Action: "https://example.com/x"}, event(path, `{"a":1}`, ""), before, nil},
	} {
		t.Run(name, func(t *testing.T) {
			test.trigger.ID, test.trigger.Collection, test.trigger.Key, test.trigger.Coalesce = "t", "users/*/notes", "k:{parent}:{trigger}:{seq}:{path}", true
			test.trigger.Events = []nestor.ChangeType{nestor.Update, nestor.Delete}
			c := test.event.Change
			c.Before, c.After = test.before, test.after
			want := []nestor.Job{{
				ID: nestor.JobID("t", &c), Key: "k:users/u1:t:107:users/u1/notes/n1", Trigger: "t",
				Change: c, Coalesce: true, Detached: strings.HasPrefix(test.trigger.Action, "https:"), // no run waits for a webhook
			}}
			if got := newSet(t, test.trigger).Plan(test.event); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if test.event.Before == nil && test.event.After == nil {
				t.Error("planning changed the event")
			}
		})
	}
}

func TestEveryDocumentHasItsOwnKeyByDefault(t *testing.T) {
	set := newSet(t, nestor.Trigger{ID: "t", Collection: "notes", Action: "POST /webhook/x"})
	if got := set.Plan(event("notes/n1", "", `{}`))[0].Key; got != "t:notes/n1" {
		t.Errorf("the key is %q", got)
	}
}

func TestJobsComeInTheOrderOfTheTriggers(t *testing.T) {
	set := newSet(t,
		nestor.Trigger{ID: "c", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.a == 'x'"},
		nestor.Trigger{ID: "a", Collection: "**", Action: "POST /webhook/x"},
		nestor.Trigger{ID: "b", Collection: "*", Action: "POST /webhook/x", Condition: "event.document.b == 'y'"},
		nestor.Trigger{ID: "d", Collection: "notes", Action: "POST /webhook/x"},
	)
	got := fired(set.Plan(event("notes/n1", "", `{"a":"x","b":"y"}`)))
	if want := []string{"c", "a", "b", "d"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestATriggerCanBeSwitchedWhileOthersPlan(t *testing.T) {
	set := newSet(t, nestor.Trigger{ID: "t", Collection: "notes", Action: "POST /webhook/x"})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				set.Plan(event("notes/n1", "", `{}`))
			}
		})
	}
	for i := range 200 {
		if err := set.SetEnabled("t", i%2 == 1); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	counted := int64(len(set.Plan(event("notes/n1", "", `{}`))))
	if info, _ := set.Get("t"); counted != 1 || !*info.Enabled {
		t.Errorf("planned %d, enabled %t", counted, *info.Enabled)
	}
	if err := set.SetEnabled("t", false); err != nil {
		t.Fatal(err)
	}
	if jobs := set.Plan(event("notes/n1", "", `{}`)); len(jobs) != 0 {
		t.Errorf("a disabled trigger planned %d jobs", len(jobs))
	}
	if err := set.SetEnabled("nope", true); nestor.CodeOf(err) != nestor.CodeNotFound {
		t.Errorf("an unknown trigger: %v", err)
	}
}

func TestErrorsOfAConditionAreCountedAndLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	set, err := trigger.New([]nestor.Trigger{
		{ID: "bad", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.n > 1"},
		{ID: "good", Collection: "notes", Action: "POST /webhook/x"},
	}, trigger.Options{BuiltIn: builtIn, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := fired(set.Plan(event("notes/n1", "", `{}`))); !reflect.DeepEqual(got, []string{"good"}) {
			t.Errorf("fired %v", got)
		}
	}
	// That the old document has no n is the normal case, not an error.
	if got := fired(set.Plan(event("notes/n1", `{}`, `{"n":2}`))); !reflect.DeepEqual(got, []string{"bad", "good"}) {
		t.Errorf("fired %v", got)
	}
	bad, _ := set.Get("bad")
	good, _ := set.Get("good")
	if bad.Errors != 3 || !strings.Contains(bad.LastError, "no such key: n") || bad.Fired != 1 || good.Errors != 0 || good.LastError != "" || good.Fired != 4 || good.LastFired != 1_700_000_000_500 {
		t.Errorf("bad %+v\ngood %+v", bad, good)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "trigger=bad") ||
		!strings.Contains(log.String(), "no such key: n") {
		t.Errorf("%d lines of log:\n%s", n, log.String())
	}
}

func TestAListedTriggerHasItsDefaultsAndNoSecrets(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	set := newSet(t, nestor.Trigger{
		ID: "t", Collection: "notes", Action: "https://example.com/hook", Secret: secret,
		Headers: map[string]string{"Authorization": "Bearer hunter2"},
	})
	listed, err := json.Marshal(set.List())
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"id":"t","collection":"notes","events":["create","update"],"action":"https://example.com/hook",` +
		`"key":"{trigger}:{path}","headers":{"Authorization":"(hidden)"},` +
		`"retryPolicy":{"maxAttempts":15,"initialBackoff":"5s","maxBackoff":"1h0m0s"},"timeout":"30s","secret":"(hidden)",` +
		`"enabled":true,"fired":0,"errors":0}]`
	if string(listed) != want {
		t.Errorf("got  %s\nwant %s", listed, want)
	}
	if _, ok := set.Get("nope"); ok {
		t.Error("found a trigger that does not exist")
	}
}

func TestNewListsEveryProblem(t *testing.T) {
	_, err := trigger.New([]nestor.Trigger{
		{ID: "a", Collection: "notes", Action: "POST /webhook/x"},
		{ID: "a", Collection: "notes", Action: "POST /webhook/x"},
		{ID: "b", Collection: "notes", Action: "nonsense", Retry: nestor.RetryPolicy{MaxAttempts: -1}},
	}, trigger.Options{BuiltIn: builtIn})
	const want = `trigger "a": the id is taken by another trigger
trigger "b": retryPolicy.maxAttempts must be a whole number from 1 to 100
trigger "b": action: it is neither POST /webhook/NAME nor an http or https URL`
	if nestor.CodeOf(err) != nestor.CodeInvalid || err.Error() != want {
		t.Errorf("got:\n%v", err)
	}
}

func TestNoTriggerFiresOnASecret(t *testing.T) {
	set, err := trigger.New([]nestor.Trigger{{ID: "all", Collection: "**", Action: "https://example.com"}}, trigger.Options{BuiltIn: builtIn})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[nestor.Path]int{"secrets/u1/model-connections/c1": 0, "secretsx/u1": 1} {
		d := &nestor.Document{Path: path, Version: 1, Data: []byte(`{}`)}
		jobs := set.Plan(store.NewEvent(nestor.Change{Type: nestor.Create, Path: path, Version: 1, After: d}))
		if len(jobs) != want {
			t.Errorf("%s causes %d jobs, want %d", path, len(jobs), want)
		}
	}
}

func TestAPolicyThatIsWrittenIsNotMixedWithThatOfWebhooks(t *testing.T) {
	const hook, handler = "https://example.com/hook", "POST /webhook/x"
	standard := nestor.RetryPolicy{MaxAttempts: 3, InitialBackoff: nestor.Duration(time.Second), MaxBackoff: nestor.Duration(10 * time.Second)}
	for name, c := range map[string]struct {
		action     string
		retry, got nestor.RetryPolicy
	}{
		"a webhook without one": {hook, nestor.RetryPolicy{}, nestor.RetryPolicy{
			MaxAttempts: 15, InitialBackoff: nestor.Duration(5 * time.Second), MaxBackoff: nestor.Duration(time.Hour),
		}},
		"a handler without one": {handler, nestor.RetryPolicy{}, standard},
		"a webhook with attempts only": {hook, nestor.RetryPolicy{MaxAttempts: 5}, nestor.RetryPolicy{
			MaxAttempts: 5, InitialBackoff: standard.InitialBackoff, MaxBackoff: standard.MaxBackoff,
		}},
		"a webhook with a pause only": {hook, nestor.RetryPolicy{InitialBackoff: nestor.Duration(2 * time.Second)}, nestor.RetryPolicy{
			MaxAttempts: 3, InitialBackoff: nestor.Duration(2 * time.Second), MaxBackoff: standard.MaxBackoff,
		}},
	} {
		set := newSet(t, nestor.Trigger{ID: "t", Collection: "notes", Action: c.action, Retry: c.retry})
		if got, _ := set.Get("t"); got.Retry != c.got {
			t.Errorf("%s: got %+v, want %+v", name, got.Retry, c.got)
		}
	}
}
