package nestor_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

func TestReadingADuration(t *testing.T) {
	for _, tt := range []struct {
		name string
		json string
		want time.Duration
		code nestor.Code
	}{
		{"a fraction of a second", `"1.5s"`, 1500 * time.Millisecond, ""},
		{"several units", `"1m30s"`, 90 * time.Second, ""},
		{"milliseconds", `"250ms"`, 250 * time.Millisecond, ""},
		{"none", `"0s"`, 0, ""},
		{"a number has no unit", `5`, 0, nestor.CodeInvalid},
		{"text without a unit", `"5"`, 0, nestor.CodeInvalid},
		{"a negative one", `"-1s"`, 0, nestor.CodeInvalid},
		{"empty text", `""`, 0, nestor.CodeInvalid},
		{"a word", `"soon"`, 0, nestor.CodeInvalid},
		{"one that is too long to count", `"9999999h"`, 0, nestor.CodeInvalid},
		{"a list", `["1s"]`, 0, nestor.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d nestor.Duration
			err := json.Unmarshal([]byte(tt.json), &d)
			wantCode(t, err, tt.code)
			if time.Duration(d) != tt.want {
				t.Errorf("read %v, want %v", time.Duration(d), tt.want)
			}
		})
	}
}

func TestDurationsAreWrittenAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := nestor.Duration(rapid.Int64Min(0).Draw(t, "nanoseconds"))
		var out nestor.Duration
		if err := json.Unmarshal(asJSON(t, in), &out); err != nil || out != in {
			t.Fatalf("%v became %v, %v", time.Duration(in), time.Duration(out), err)
		}
	})
}

func TestTheDefaultsOfARetryPolicy(t *testing.T) {
	second := nestor.Duration(time.Second)
	for _, tt := range []struct {
		name     string
		in, want nestor.RetryPolicy
	}{
		{"fill an empty policy", nestor.RetryPolicy{}, nestor.RetryPolicy{MaxAttempts: 3, InitialBackoff: second, MaxBackoff: 10 * second}},
		{"fill what is missing", nestor.RetryPolicy{MaxAttempts: 9}, nestor.RetryPolicy{MaxAttempts: 9, InitialBackoff: second, MaxBackoff: 10 * second}},
		{"change nothing that is set", nestor.RetryPolicy{MaxAttempts: 1, InitialBackoff: 2, MaxBackoff: 3}, nestor.RetryPolicy{MaxAttempts: 1, InitialBackoff: 2, MaxBackoff: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.in.WithDefaults(); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestATriggerIsWrittenWithoutWhatIsNotSet(t *testing.T) {
	off := false
	for _, tt := range []struct {
		name    string
		trigger nestor.Trigger
		want    string
	}{
		{
			"the least a trigger has",
			nestor.Trigger{ID: "t", Collection: "users/*/notes", Action: "POST /webhook/x"},
			`{"id":"t","collection":"users/*/notes","action":"POST /webhook/x"}`,
		},
		{"all fields", nestor.Trigger{
			ID: "t", Collection: "users/*/notes", Events: []nestor.ChangeType{nestor.Create}, Condition: "true",
			Action: "https://example.com/hook", Key: "{path}", Coalesce: true, Headers: map[string]string{"X-A": "1"},
			Retry:   nestor.RetryPolicy{MaxAttempts: 5, InitialBackoff: nestor.Duration(time.Second), MaxBackoff: nestor.Duration(time.Minute)},
			Timeout: nestor.Duration(30 * time.Second), Secret: "${SECRET}", IncludeBefore: true, Enabled: &off,
		}, `{"id":"t","collection":"users/*/notes","events":["create"],"condition":"true","action":"https://example.com/hook",` +
			`"key":"{path}","coalesce":true,"headers":{"X-A":"1"},` +
			`"retryPolicy":{"maxAttempts":5,"initialBackoff":"1s","maxBackoff":"1m0s"},` +
			`"timeout":"30s","secret":"${SECRET}","includeBefore":true,"enabled":false}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := asJSON(t, tt.trigger)
			if string(text) != tt.want {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
			var again nestor.Trigger
			if err := json.Unmarshal(text, &again); err != nil || string(asJSON(t, again)) != tt.want {
				t.Errorf("read back as %+v, %v", again, err)
			}
		})
	}
}

func ExampleTrigger() {
	var t nestor.Trigger
	err := json.Unmarshal([]byte(`{
		"id": "on-new-task",
		"collection": "users/*/orch-chats/*/tasks",
		"events": ["create"],
		"condition": "event.document.status == 'pending'",
		"action": "POST /webhook/agent-init",
		"retryPolicy": {"maxAttempts": 5}
	}`), &t)
	if err != nil {
		panic(err)
	}
	fmt.Println(t.ID, t.Collection.Match("users/u1/orch-chats/c1/tasks"))
	fmt.Println(time.Duration(t.Retry.WithDefaults().InitialBackoff))
	// Output:
	// on-new-task true
	// 1s
}
