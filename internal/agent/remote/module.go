package remote

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool/secret"
	"github.com/nestorhq/nestor/internal/trigger"
)

// Collection has what is known of remote tasks.
var Collection = func() *store.Collection {
	c := store.NewCollection[nestor.RemoteTask]("remote_tasks", store.SubAgents,
		"users/{userId}/orch-chats/{chatId}/sub-agents/{subAgentId}/remote-tasks/{id}")
	c.ServerWrites = true
	return c
}()

// Options configure the remote agents.
type Options struct {
	// Roles of agents, of which some are remote.
	Roles *role.Roles
	// AllowPrivate lets requests reach private addresses. Defaults to false.
	AllowPrivate bool
	// Env gives the values that headers refer to.
	Env secret.Env
}

// Agents are the remote agents of a server.
type Agents struct {
	roles *role.Roles
	store store.Documents
	http  *http.Client
	env   secret.Env
	pace  pace
}

// pace is how often and for how long a remote task is asked about.
type pace struct {
	// least and most are between two questions.
	least, most time.Duration
	// atOnce is how long one attempt at a step follows a remote task. Then others get
	// their turn.
	atOnce time.Duration
	// failures is how often in a row a question may fail.
	failures int
}

var usual = pace{least: 500 * time.Millisecond, most: 10 * time.Second, atOnce: 10 * time.Minute, failures: 10}

const cancelStage = "remote-cancel"

// Module is the domain of remote agents.
func Module(opts Options) module.Of[*Agents] {
	return module.Of[*Agents]{
		Name:        "remote",
		Collections: []*store.Collection{Collection},
		Reactions:   reactions(opts.Roles),
		Handlers: []module.Handler[*Agents]{
			// With the key of the agents' loop: a step that is under way ends first.
			{Stage: trigger.Stage{Name: cancelStage, Key: "agent:{agent}"}, Run: (*Agents).cancel},
		},
		Open: func(_ context.Context, host module.Host) (*Agents, error) {
			return &Agents{roles: opts.Roles, store: host.Store, env: opts.Env, pace: usual, http: netguard.Client(netguard.Options{
				AllowPrivate: opts.AllowPrivate, Timeout: -1, Permit: "start the server with --allow-private",
			})}, nil
		},
		Drained: func(a *Agents, _ context.Context) error {
			a.http.CloseIdleConnections()
			return nil
		},
	}
}

// reactions have the remote task of an agent cancelled that ends otherwise than by an
// answer.
func reactions(roles *role.Roles) []nestor.Trigger {
	names := roles.Remote()
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []nestor.Trigger{{
		ID: "remote-agent-ended", Collection: "users/*/orch-chats/*/sub-agents", Events: []nestor.ChangeType{nestor.Update},
		Condition: "event.document.data.status in ['cancelled', 'failed'] && event.document.data.role in ['" + strings.Join(names, "', '") + "']",
		Action:    "POST /webhook/" + cancelStage, Retry: nestor.RetryPolicy{MaxAttempts: 8},
	}}
}
