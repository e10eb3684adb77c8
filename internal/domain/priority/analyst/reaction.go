package analyst

import (
	"time"

	"github.com/nestorhq/nestor"
)

// Stage is the name of the handler of sessions, and StageKey the key of its jobs: no
// two work on one session.
const (
	Stage    = "prioritize"
	StageKey = "session:{path}"
)

// Reactions begin the next half of a step with every change of a session that has not
// ended. Nobody can replace them: how a session goes on is no stage of its own.
var Reactions = []nestor.Trigger{{
	ID:         "session-goes-on",
	Collection: "users/*/agent-sessions",
	Events:     []nestor.ChangeType{nestor.Create, nestor.Update},
	Condition:  "event.document.data.status in ['queued', 'running'] && (event.type == 'create' || event.before != null)",
	Action:     "POST /webhook/" + Stage,
	Retry:      nestor.RetryPolicy{MaxAttempts: 4, InitialBackoff: nestor.Duration(2 * time.Second), MaxBackoff: nestor.Duration(30 * time.Second)},
}}
