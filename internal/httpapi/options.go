package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/disk"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Options are what the API serves.
type Options struct {
	// Routes are those of modules, and Schemas what they name.
	Routes []Route
	// Doors are calls in protocols of others.
	Doors   []Door
	Schemas openapi.Schemas
	Store   store.Store
	// Tools are all tools that agents can have.
	Tools Tools
	// Agents carry out what people want of running agents. Without them such
	// requests are refused.
	Agents Agents
	// Tells returns what streams tell of a change beside the change itself, such as that a
	// run began. Nil tells nothing.
	Tells func(*nestor.Change) ([]Event, error)
	// Runs tells what came of what was said. Without it nobody can wait for that.
	Runs Runs
	// Participants are whom chats can talk to. Without them every participant is
	// taken.
	Participants Participants
	// Place says which account and project a new chat of a user belongs to,
	// in the transaction that creates it. Without it chats belong to none.
	Place sharing.Placer
	// UserBudget is what each user may use, to tell what is left of it. Defaults
	// to no bound.
	UserBudget nestor.Budget
	// Disk tells how much a user, users/{id}, or an account, accounts/{id}, takes of the
	// disk, false where there is no bound. Defaults to none.
	Disk func(context.Context, nestor.Path) (disk.Standing, bool, error)
	// Feed is where events come from. Without it there are none.
	Feed *feed.Feed
	// Gate knows who is asking, and Rules what they may do.
	Gate  *access.Gate
	Rules *rules.Engine
	// Hosts are the names under which browsers reach the server, besides those
	// of the machine itself.
	Hosts []string
	// Public is the address of the server behind a reverse proxy. Defaults to none.
	Public access.PublicURL
	// UI answers what is not the API. Without it there are no pages.
	UI UI
	// Logins limits the attempts to log in from one address. Defaults to one
	// in two seconds, 20 at once.
	Logins access.LimiterOptions
	// Strangers limits what one address asks for that is open to anyone with a link.
	// Defaults to 20 a second and 100 at once.
	Strangers access.LimiterOptions
	// Writes limits the changing requests of one user. Defaults to 100 a
	// second, 500 at once. Whoever has NESTOR_TOKEN is not limited.
	Writes access.LimiterOptions
	// Deltas limits what one user's programs say in drafts, apart from Writes.
	// Defaults to 500 a second, 1,000 at once.
	Deltas access.LimiterOptions
	// Drafts bounds the drafts of programs elsewhere.
	Drafts feed.RemoteOptions
	// Recheck is how often streams make sure that their reader may still
	// follow. Defaults to 1 second.
	Recheck time.Duration
	// Metrics serves /metrics, to callers on this machine and administrators.
	Metrics http.Handler
	// Ready reports why the server cannot do its work, for /readyz, which asks
	// every two seconds at most.
	Ready func(context.Context) error
	// MaxBody is the size limit of a request. Defaults to 2 MiB.
	MaxBody int64
	// MaxSnapshot is the size limit of a chat's snapshot. Defaults to 16 MiB.
	MaxSnapshot int
	// StreamsPerUser is how many streams one user may have open, of whatever
	// kind, and Streams how many there may be in all. Default to 256 and 4096.
	StreamsPerUser, Streams int
	// WriteTimeout is how long the client of a stream may take to read a piece of
	// what it is sent. Defaults to 10 seconds.
	WriteTimeout time.Duration
	// Stopping ends all streams when it ends: they would hold up a server that
	// stops. Defaults to one that never ends.
	Stopping context.Context
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

func (opts Options) withDefaults() Options {
	if opts.MaxBody == 0 {
		opts.MaxBody = 2 << 20
	}
	if opts.MaxSnapshot == 0 {
		opts.MaxSnapshot = 16 << 20
	}
	if opts.StreamsPerUser == 0 {
		opts.StreamsPerUser = 256
	}
	if opts.Streams == 0 {
		opts.Streams = 4096
	}
	if opts.WriteTimeout == 0 {
		opts.WriteTimeout = 10 * time.Second
	}
	if opts.Stopping == nil {
		opts.Stopping = context.Background()
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Logins.PerSecond == 0 {
		opts.Logins = access.LimiterOptions{PerSecond: 0.5, Burst: 20}
	}
	if opts.Strangers.PerSecond == 0 {
		opts.Strangers = access.LimiterOptions{PerSecond: 20, Burst: 100}
	}
	if opts.Writes.PerSecond == 0 {
		opts.Writes = access.LimiterOptions{PerSecond: 100, Burst: 500}
	}
	if opts.Deltas.PerSecond == 0 {
		opts.Deltas = access.LimiterOptions{PerSecond: 500, Burst: 1000}
	}
	if opts.Recheck == 0 {
		opts.Recheck = time.Second
	}
	return opts
}
