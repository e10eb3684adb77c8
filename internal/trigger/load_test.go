package trigger_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/trigger"
)

func env(name string) string {
	return map[string]string{
		"HOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
		"BAD_SECRET":  "whsec_hunter2",
		"TOKEN":       "hunter2",
		"BREAK":       "hunter2\r\nX-Evil: 1",
	}[name]
}

func TestAFileThatIsWrongSaysWhereAndWhy(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"no JSON at all": {
			`hello`,
			`t.json:1:1: the file is not JSON: invalid character 'h' looking for beginning of value`,
		},
		"JSON that breaks off": {
			"{\n  \"triggers\": [",
			`t.json:2:16: the file is not JSON: unexpected end of JSON input`,
		},
		"a comma too many": {
			"{\"triggers\": [\n  {},\n]}",
			`t.json:3:1: the file is not JSON: invalid character ']' looking for beginning of value`,
		},
		"text that is not UTF-8": {
			"{\"triggers\": [{\"id\": \"\xff\"}]}",
			`t.json:1:23: the file is not valid UTF-8`,
		},
		"neither an object nor a list": {
			`"triggers"`,
			`t.json:1:1: the file must be an object, not text`,
		},
		"a field under two names": {
			`[{"id": "a", "triggerId": "b", "collection": "notes", "url": "https://x.org", "action": "https://x.org"}]`,
			`t.json:1:27: trigger "b": id is there twice, under two names
t.json:1:89: trigger "b": action is there twice, under two names`,
		},
		"no triggers": {
			`{"extend": true}`,
			`t.json:1:1: "triggers" is missing`,
		},
		"unknown and repeated fields": {
			`{"trigers": [], "triggers": [], "triggers": []}`,
			`t.json:1:2: unknown field "trigers": the fields are triggers, extend
t.json:1:33: field "triggers" is repeated`,
		},
		"values of the wrong kind": {
			`{"extend": "yes", "triggers": [7, {"id": 1, "collection": null, "events": "create", "condition": true, "action": [],
 "headers": [], "retryPolicy": 3, "timeout": 30, "enabled": "no"}]}`,
			`t.json:1:12: extend must be true or false, not text
t.json:1:32: trigger #1 must be an object, not a number
t.json:1:42: trigger #2: id must be text, not a number
t.json:1:59: trigger #2: collection must be text, not null
t.json:1:75: trigger #2: events must be a list, not text
t.json:1:98: trigger #2: condition must be text, not true or false
t.json:1:114: trigger #2: action must be text, not a list
t.json:2:13: trigger #2: headers must be an object, not a list
t.json:2:32: trigger #2: retryPolicy must be an object, not a number
t.json:2:46: trigger #2: timeout must be text, not a number
t.json:2:61: trigger #2: enabled must be true or false, not text`,
		},
		"an empty trigger": {
			`{"triggers": [{}]}`,
			`t.json:1:15: trigger #1: id: an id must not be empty
t.json:1:15: trigger #1: collection: a pattern must not be empty
t.json:1:15: trigger #1: action: an action is needed: POST /webhook/NAME or a URL`,
		},
		"a misspelt field": {
			`{"triggers": [{"id": "t", "collection": "notes", "action": "POST /webhook/x", "retry": {}}]}`,
			`t.json:1:79: trigger "t": unknown field "retry": the fields are id, collection, events, condition, action, key, ` +
				`coalesce, headers, retryPolicy, timeout, secret, includeBefore, enabled`,
		},
		"ids that are invalid or taken": {
			`{"triggers": [
  {"id": "on note", "collection": "notes", "action": "POST /webhook/x"},
  {"id": "t", "collection": "notes", "action": "POST /webhook/x"},
  {"id": "t", "collection": "notes", "action": "POST /webhook/x"}
]}`,
			`t.json:2:10: trigger #1: id: id "on note" has a character outside A-Z a-z 0-9 _ - . at position 3
t.json:4:10: trigger "t": the id is taken by the trigger in line 3`,
		},
		"collections that can match nothing": {
			`{"triggers": [
  {"id": "a", "collection": "users//notes", "action": "POST /webhook/x"},
  {"id": "b", "collection": "users/**/notes", "action": "POST /webhook/x"},
  {"id": "c", "collection": "users/*", "action": "POST /webhook/x"}
]}`,
			`t.json:2:29: trigger "a": collection: pattern "users//notes", column 7: an id must not be empty
t.json:3:29: trigger "b": collection: pattern "users/**/notes", column 7: ** may only be the last segment
t.json:4:29: trigger "c": collection: "users/*" has 2 segments and the path of a collection an odd number: it would match nothing`,
		},
		"events that are none": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "POST /webhook/x", "events": []},
  {"id": "b", "collection": "notes", "action": "POST /webhook/x", "events": ["created", "update", "update"]},
  {"id": "c", "collection": "notes", "action": "POST /webhook/x", "events": [1]}
]}`,
			`t.json:2:77: trigger "a": events: at least one of create, update and delete is needed
t.json:3:77: trigger "b": events: "created" is not create, update or delete
t.json:3:77: trigger "b": events: update is repeated
t.json:4:78: trigger "c": an event must be text, not a number`,
		},
		"conditions, at their very character": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "POST /webhook/x",
   "condition": "event.documnt.role == 'user'"},
  {"id": "b", "collection": "notes", "action": "POST /webhook/x",
   "condition": "event.document.x == \"ü\" &&\n evnt.type == 'create'"},
  {"id": "c", "collection": "notes", "action": "POST /webhook/x",
   "condition": "event.type"},
  {"id": "d", "collection": "notes", "action": "POST /webhook/x",
   "condition": "'\ud83d\ude00' == event.type || event == null || size(dyn(event)) > 1"},
  {"id": "e", "collection": "notes", "action": "POST /webhook/x",
   "condition": "event.path.matches('(') || event.type =="}
]}`,
			`t.json:3:23: trigger "a": condition, column 6: undefined field 'documnt'
t.json:5:49: trigger "b": condition, line 2, column 2: undeclared reference to 'evnt' (did you mean 'event'?)
t.json:7:18: trigger "c": condition, column 1: it gives a value of type string, not true or false
t.json:9:50: trigger "d": condition, column 22: event is no value by itself: name one of its fields, such as event.document
t.json:9:76: trigger "d": condition, column 48: event is no value by itself: name one of its fields, such as event.document
t.json:11:58: trigger "e": condition, column 41: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
		},
		"conditions that make values": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "POST /webhook/x", "condition": "event.type in ['a', event.path]"},
  {"id": "b", "collection": "notes", "action": "POST /webhook/x", "condition": "{'a': 1} == event.document"},
  {"id": "c", "collection": "notes", "action": "POST /webhook/x", "condition": "event.document.l.map(x, x + x) == []"}
]}`,
			`t.json:2:95: trigger "a": condition, column 15: a list may hold literal values only, and nothing can be made with map
t.json:3:81: trigger "b": condition, column 1: a condition cannot make maps or objects
t.json:4:101: trigger "c": condition, column 21: a list may hold literal values only, and nothing can be made with map`,
		},
		"regular expressions that are invalid or too big": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "POST /webhook/x", "condition": "event.path.matches('(')"},
  {"id": "b", "collection": "notes", "action": "POST /webhook/x", "condition": "event.path.matches('(a|b){1,500}')"},
  {"id": "c", "collection": "notes", "action": "POST /webhook/x", "condition": "matches(event.path, event.type)"}
]}`,
			`t.json:2:100: trigger "a": condition, column 20: invalid matches argument
t.json:3:100: trigger "b": condition, column 20: regex program size 2001 exceeds limit of 100
t.json:4:106: trigger "c": condition, column 26: the pattern of matches must be a literal text`,
		},
		"actions that are none": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "orchestrator"},
  {"id": "b", "collection": "notes", "action": "GET https://example.com/"},
  {"id": "c", "collection": "notes", "action": "POST /webhook/"},
  {"id": "d", "collection": "notes", "action": "ftp://example.com/"},
  {"id": "e", "collection": "notes", "action": "https://bob:hunter2@example.com/"},
  {"id": "f", "collection": "notes", "action": "https://example.com/#part"},
  {"id": "g", "collection": "notes", "action": "POST https:///hook"}
]}`,
			`t.json:2:48: trigger "a": action: it is neither POST /webhook/NAME nor an http or https URL
t.json:3:48: trigger "b": action: it is neither POST /webhook/NAME nor an http or https URL
t.json:4:48: trigger "c": action: the name of the handler: an id must not be empty
t.json:5:48: trigger "d": action: it is neither POST /webhook/NAME nor an http or https URL
t.json:6:48: trigger "e": action: a URL with a user or password would show them: use a header
t.json:7:48: trigger "f": action: the part of a URL after # is never sent: leave it out
t.json:8:48: trigger "g": action: it is neither POST /webhook/NAME nor an http or https URL`,
		},
		"keys with unknown placeholders": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "POST /webhook/x", "key": "chat:{chatId}"},
  {"id": "b", "collection": "notes", "action": "POST /webhook/x", "key": "chat:{parent"},
  {"id": "c", "collection": "notes", "action": "POST /webhook/x", "key": "chat:}"}
]}`,
			`t.json:2:74: trigger "a": key: braces enclose one of {trigger}, {path}, {parent}, {chat}, {agent} and {seq}
t.json:3:74: trigger "b": key: braces enclose one of {trigger}, {path}, {parent}, {chat}, {agent} and {seq}
t.json:4:74: trigger "c": key: braces enclose one of {trigger}, {path}, {parent}, {chat}, {agent} and {seq}`,
		},
		"retry policies and timeouts out of bounds": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "POST /webhook/x", "timeout": "2h",
   "retryPolicy": {"maxAttempts": 101, "initialBackoff": "20s"}},
  {"id": "b", "collection": "notes", "action": "POST /webhook/x", "timeout": "1ms",
   "retryPolicy": {"maxAttempts": 0, "maxBackoff": "61m", "jitter": true}},
  {"id": "c", "collection": "notes", "action": "POST /webhook/x", "timeout": "0s",
   "retryPolicy": {"maxAttempts": 1.5, "initialBackoff": "-1s", "maxBackoff": "soon"}}
]}`,
			`t.json:2:78: trigger "a": timeout 2h is not between 100ms and 1h
t.json:3:35: trigger "a": retryPolicy.maxAttempts must be a whole number from 1 to 100
t.json:3:58: trigger "a": retryPolicy.initialBackoff 20s is not between 0s and maxBackoff, 10s
t.json:4:78: trigger "b": timeout 1ms is not between 100ms and 1h
t.json:5:35: trigger "b": retryPolicy.maxAttempts must be a whole number from 1 to 100
t.json:5:52: trigger "b": retryPolicy.maxBackoff 1h1m is not between 0s and 1h
t.json:5:59: trigger "b": retryPolicy: unknown field "jitter": the fields are maxAttempts, initialBackoff, maxBackoff
t.json:6:78: trigger "c": timeout must be more than zero
t.json:7:35: trigger "c": retryPolicy.maxAttempts must be a whole number from 1 to 100
t.json:7:58: trigger "c": retryPolicy.initialBackoff: "-1s" is not a duration such as "1.5s"
t.json:7:79: trigger "c": retryPolicy.maxBackoff: "soon" is not a duration such as "1.5s"`,
		},
		"headers and secrets, without showing them": {
			`{"triggers": [
  {"id": "a", "collection": "notes", "action": "https://example.com/", "secret": "hunter2",
   "headers": {"X Y": "hunter2", "Webhook-Id": "1", "X-A": "${NOPE} hunter2", "X-B": "${TOKEN hunter2", "X-C": "${BREAK}", "X-D": 1}},
  {"id": "b", "collection": "notes", "action": "https://example.com/", "secret": "${BAD_SECRET}"},
  {"id": "c", "collection": "notes", "action": "https://example.com/", "secret": "${NOPE}"},
  {"id": "d", "collection": "notes", "action": "https://example.com/", "headers": {"X-Key": "1", "x-key": "2"}}
]}`,
			`t.json:2:82: trigger "a": secret must be whsec_ and the base64 of 24 to 64 bytes
t.json:3:23: trigger "a": "X Y" is not the name of a header
t.json:3:48: trigger "a": header Webhook-Id is set by the delivery itself
t.json:3:60: trigger "a": headers.X-A: the environment variable NOPE is not set
t.json:3:86: trigger "a": headers.X-B: ${ must be followed by the name of an environment variable and }
t.json:3:112: trigger "a": header X-C has a control character in its value
t.json:3:131: trigger "a": headers.X-D must be text, not a number
t.json:4:82: trigger "b": secret must be whsec_ and the base64 of 24 to 64 bytes
t.json:5:82: trigger "c": secret: the environment variable NOPE is not set
t.json:6:107: trigger "d": header x-key is repeated: upper and lower case make no difference`,
		},
		"webhook settings on a built-in handler": {
			`{"triggers": [{"id": "t", "collection": "notes", "action": "POST /webhook/x",
  "headers": {"A": "b"}, "secret": "${HOOK_SECRET}", "includeBefore": true}]}`,
			`t.json:2:14: trigger "t": headers is for webhooks, and the action is a built-in handler
t.json:2:36: trigger "t": secret is for webhooks, and the action is a built-in handler
t.json:2:71: trigger "t": includeBefore is for webhooks, and the action is a built-in handler`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			triggers, err := trigger.Load("t.json", []byte(test.file), env, builtIn)
			if err == nil {
				t.Fatalf("loaded %d triggers", len(triggers))
			}
			if nestor.CodeOf(err) != nestor.CodeInvalid || err.Error() != test.want {
				t.Errorf("got:\n%v\nwant:\n%s", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("the error shows a secret")
			}
		})
	}
}

func TestAFileGivesItsTriggers(t *testing.T) {
	got, err := trigger.Load("t.json", []byte(`{"triggers": [{
		"id": "t", "collection": "users/*/notes", "events": ["delete"], "condition": "event.document.a == 1",
		"action": "POST https://example.com/hook?x=1", "key": "k:{parent}", "coalesce": true,
		"headers": {"Authorization": "Bearer ${TOKEN}", "X-Price": "$5"}, "secret": "${HOOK_SECRET}",
		"retryPolicy": {"maxAttempts": 5, "initialBackoff": "250ms", "maxBackoff": "1m30s"},
		"timeout": "5s", "includeBefore": true, "enabled": false}]}`), env, builtIn)
	if err != nil {
		t.Fatal(err)
	}
	want := []nestor.Trigger{{
		ID: "t", Collection: "users/*/notes", Events: []nestor.ChangeType{nestor.Delete}, Condition: "event.document.a == 1",
		Action: "POST https://example.com/hook?x=1", Key: "k:{parent}", Coalesce: true,
		Headers: map[string]string{"Authorization": "Bearer hunter2", "X-Price": "$5"}, Secret: env("HOOK_SECRET"),
		Retry:   nestor.RetryPolicy{MaxAttempts: 5, InitialBackoff: 250e6, MaxBackoff: 90e9},
		Timeout: 5e9, IncludeBefore: true, Enabled: new(false),
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAFileReplacesOrExtendsTheBuiltInTriggers(t *testing.T) {
	defaults := builtIn.Defaults()
	own := nestor.Trigger{ID: "own", Collection: "notes", Action: "POST /webhook/x"}
	changed := builtIn.Defaults()
	changed[0].Action = "https://example.com/orchestrate"
	changed[2].Enabled = new(false)
	for name, test := range map[string]struct {
		file string
		want []nestor.Trigger
	}{
		"it replaces them by default":               {`{"triggers": [{"id": "own", "collection": "notes", "action": "POST /webhook/x"}]}`, []nestor.Trigger{own}},
		"it can leave no trigger at all":            {`{"triggers": []}`, nil},
		"it replaces them when it says so":          {`{"extend": false, "triggers": []}`, nil},
		"it adds to them":                           {`{"triggers": [{"id": "own", "collection": "notes", "action": "POST /webhook/x"}], "extend": true}`, append(builtIn.Defaults(), own)},
		"it keeps them when it has nothing to add":  {`{"extend": true, "triggers": []}`, defaults},
		"it changes the named fields of a built-in": {`{"extend": true, "triggers": [{"id": "on-new-task", "enabled": false}, {"action": "https://example.com/orchestrate", "id": "on-user-message"}]}`, changed},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := trigger.Load("t.json", []byte(test.file), env, builtIn)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
	if !reflect.DeepEqual(builtIn.Defaults(), defaults) {
		t.Error("loading a file changed the built-in triggers")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"triggers": [{"id": "t", "collection": "users/*/notes", "events": ["delete"], "condition": "event.document.a == 'x'",
		"action": "POST https://example.com/hook?x=1", "key": "k:{parent}", "coalesce": true, "headers": {"A": "${TOKEN}"},
		"secret": "${HOOK_SECRET}", "retryPolicy": {"maxAttempts": 5, "initialBackoff": "250ms"}, "timeout": "5s"}]}`))
	f.Add([]byte(`{"extend": true, "triggers": [{"id": "on-new-task", "condition": "event.before.x == '\ud83d\ude00' ||\n size("}]}`))
	f.Add([]byte("{\"triggers\": [{\"id\": \"\\u00e9\", \"id\": 1, \"condition\": \"\\\\ \\\"\"}, [], null, 1.5e3]}"))
	changes := []struct{ before, after string }{{"", `{"a":"x"}`}, {`{"a":"x"}`, `{"a":"y"}`}, {`{"a":1}`, ""}}
	f.Fuzz(func(t *testing.T, data []byte) {
		triggers, err := trigger.Load("t.json", data, env, builtIn)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "t.json:") {
					t.Fatalf("a line of the error has no place: %q", line)
				}
			}
			return
		}
		set, err := trigger.New(triggers, trigger.Options{BuiltIn: builtIn})
		if err != nil {
			t.Fatalf("a file that loads does not compile: %v", err)
		}
		for _, c := range changes {
			e := event("users/u1/notes/n1", c.before, c.after)
			planned := fired(set.Plan(e))
			explained := []string{}
			for _, v := range set.Explain(e) {
				if v.Fires {
					explained = append(explained, v.Trigger)
				}
			}
			if !reflect.DeepEqual(planned, explained) {
				t.Fatalf("planned %v, explained %v", planned, explained)
			}
		}
	})
}
