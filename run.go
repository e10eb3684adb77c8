package nestor

import "slices"

// RunStatus says where a run stands.
type RunStatus string

// The states of a run: running ⇄ waiting → success | failed | cancelled. A run that
// ended goes on if somebody sets an agent of it going again.
const (
	RunRunning RunStatus = "running"
	// RunWaiting: nothing happens until somebody answers, approves or resumes.
	RunWaiting   RunStatus = "waiting"
	RunSuccess   RunStatus = "success"
	RunFailed    RunStatus = "failed"
	RunCancelled RunStatus = "cancelled"
)

// Ended reports whether nothing that the run caused is left to do.
func (s RunStatus) Ended() bool { return s == RunSuccess || s == RunFailed || s == RunCancelled }

// RunKind says what began a run.
type RunKind string

// What begins runs.
const (
	RunOfMessage        RunKind = "message"        // somebody said something in a chat
	RunOfTask           RunKind = "task"           // somebody began a task
	RunOfGraph          RunKind = "graph"          // somebody began an execution of a graph
	RunOfPrioritisation RunKind = "prioritisation" // somebody had their tasks ordered
)

// Run is the record of everything that one cause set in motion, stored at
// users/{userId}/runs/{id}. Its id is that of the document that began it.
type Run struct {
	Meta
	UserID string    `json:"userId,omitempty"`
	Kind   RunKind   `json:"kind"`
	Status RunStatus `json:"status"`
	// Root is the document that began it, as a path below the user; see [Run.Of].
	Root Path `json:"root"`
	// ChatID is the chat in which it happens, "" for none.
	ChatID string `json:"chatId,omitempty"`
	// By is who began it, "" if it was the user.
	By string `json:"by,omitempty"`
	// Reach bounds everything done in it: it is that of each key and token that had a part
	// in it. The server sets it.
	Reach []Reach `json:"reach,omitempty"`
	// BeganAt and EndedAt are Unix milliseconds.
	BeganAt int64 `json:"beganAt"`
	EndedAt int64 `json:"endedAt,omitempty"`
	// CancelledBy is who cancelled it.
	CancelledBy string `json:"cancelledBy,omitempty"`
	// JoinedTo is the run of another message, which is answered together with this one:
	// this run ends with that one. Joined are the runs that end with this one.
	JoinedTo string   `json:"joinedTo,omitempty"`
	Joined   []string `json:"joined,omitempty"`
	// WaitingFor are the tasks and executions that wait for somebody, as paths below the
	// user.
	WaitingFor []Path `json:"waitingFor,omitempty"`
	// Resumes counts how often somebody set it going again.
	Resumes int `json:"resumes,omitempty"`
	// Watched: a client wants to be notified when it waits or ends.
	Watched bool `json:"watched,omitempty"`
	// UnsaidUsage, UnsaidCostMicros and UnsaidModels tell of replies that stand in no
	// message, such as titles and those that nodes of graphs asked for.
	UnsaidUsage      *Usage   `json:"unsaidUsage,omitempty"`
	UnsaidCostMicros int64    `json:"unsaidCostMicros,omitempty"`
	UnsaidModels     []string `json:"unsaidModels,omitempty"`

	// What follows is written when the run waits or ends.

	// Participant is who was spoken to.
	Participant string `json:"participant,omitempty"`
	// Models, Roles and Tools are those that took part, in alphabetical order.
	Models []string `json:"models,omitempty"`
	Roles  []string `json:"roles,omitempty"`
	Tools  []string `json:"tools,omitempty"`
	// Agents is how many agents took part.
	Agents int `json:"agents,omitempty"`
	// Usage and CostMicros are what all model calls of the run used, and Calls how many
	// of them stand in messages.
	Usage      *Usage `json:"usage,omitempty"`
	CostMicros int64  `json:"costMicros"`
	Calls      int    `json:"calls,omitempty"`
	// Errors say what went wrong.
	Errors []string `json:"errors,omitempty"`
	// Answers are the messages of the chat that tell what came of it, oldest first.
	Answers []string `json:"answers,omitempty"`
}

// AddUnsaid counts a reply that stands in no message.
func (r *Run) AddUnsaid(model string, used *Usage, costMicros int64) {
	r.UnsaidUsage, r.UnsaidCostMicros = r.UnsaidUsage.Add(used), r.UnsaidCostMicros+costMicros
	if model != "" && !slices.Contains(r.UnsaidModels, model) {
		r.UnsaidModels = append(r.UnsaidModels, model)
	}
}

// Of is where a document lies that the run names by its path below the user.
func (r *Run) Of(below Path) Path { return Path("users/" + r.UserID + "/" + string(below)) }

// RunResult is a run and what came of it so far.
type RunResult struct {
	Run Run `json:"run"`
	// Text is the last answer, below the results of agents that it goes on from without
	// repeating them. Messages are all answers, oldest first.
	Text     string    `json:"text"`
	Messages []Message `json:"messages"`
}
