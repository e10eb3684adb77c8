// Package disk bounds how much disk documents and files may take, by user and by
// account.
//
// There is no row that all write to, and nothing is counted while somebody writes. Each
// node estimates: it has the database weigh what an owner has in the background, and
// adds what it commits itself. An estimate is off by what other nodes commit until it is
// weighed again, a minute later at most for an owner that asks for more, and by what
// nodes let in before they know of an owner, which is bounded ([unweighed]).
//
// Who has as much as they may have is refused more, and can delete: that gives back at
// once. What is replaced and deleted stays in the log for a while, so that is bounded,
// too: nobody replaces more than they may have within the time that the log is kept. Work
// that is under way writes to its end; models are not called any more for an owner
// without room, so it ends there.
package disk

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Options say how much there is.
type Options struct {
	// PerUser and PerAccount are how many bytes documents and files may take. Default to
	// no bound.
	PerUser, PerAccount int64
	// Log is how long the log keeps what is replaced. Defaults to 7 days.
	Log time.Duration
	// Every is after how long an estimate is weighed again. Defaults to 1 minute.
	Every time.Duration
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

const (
	// unweighed is how many bytes an owner may add before a node knows what they have.
	unweighed = 32 << 20
	// little is by how much a document may grow where there is no room: enough to cancel,
	// to decide and to rename.
	little = 1 << 10
	// again is how soon an owner who was refused is weighed again.
	again = 10 * time.Second
	// tick is how often the node looks for whom to weigh.
	tick = 500 * time.Millisecond
	// forget is after how long an owner is forgotten that writes nothing.
	forget = time.Hour
)

// Quota is safe for concurrent use.
type Quota struct {
	opts  Options
	store store.Store
	ask   chan struct{}

	mu sync.Mutex
	// of are the estimates by users/{id} and accounts/{id}.
	of map[nestor.Path]*estimate
	// accounts are those of chats, "" for none. It has chats that this node met.
	accounts map[nestor.Path]string
	// unplaced are chats of which nobody knows yet whether they are in an account.
	unplaced map[nestor.Path]bool
}

// estimate is what an owner takes, as far as a node knows.
type estimate struct {
	weighed int64
	added   int64 // by this node since
	pending int64 // of uploads under way
	known   bool
	at      time.Time // when it was weighed
	asked   time.Time
	refused bool // since it was weighed
	// replaced is what the log has of the owner, which it forgets as time goes by.
	replaced float64
	leaked   time.Time
}

func (e *estimate) used() int64 { return max(0, e.weighed+e.added) + e.pending }

// New returns a quota. [Quota.Room] belongs into the rules of a store.
func New(opts Options) *Quota {
	if opts.Log <= 0 {
		opts.Log = 7 * 24 * time.Hour
	}
	if opts.Every <= 0 {
		opts.Every = time.Minute
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Quota{
		opts: opts, ask: make(chan struct{}, 1),
		of: map[nestor.Path]*estimate{}, accounts: map[nestor.Path]string{}, unplaced: map[nestor.Path]bool{},
	}
}

// Watch makes s the store whose documents are weighed. Call before it is used.
func (q *Quota) Watch(s store.Store) {
	q.store = s
	if q.bounds() {
		s.Observe(store.First, q.committed)
	}
}

func (q *Quota) bounds() bool { return q.opts.PerUser > 0 || q.opts.PerAccount > 0 }

// owners are whose disk the document at p takes: its user's, and its account's if it is
// known. It is called with the lock held.
func (q *Quota) owners(p nestor.Path) (all []nestor.Path) {
	rest, ok := strings.CutPrefix(string(p), "users/")
	if !ok {
		return nil
	}
	id, _, _ := strings.Cut(rest, "/")
	if q.opts.PerUser > 0 {
		all = append(all, nestor.Path("users/"+id))
	}
	if chat := chatOf(p); chat != "" && q.opts.PerAccount > 0 {
		account, known := q.accounts[chat]
		switch {
		case account != "":
			all = append(all, nestor.Path("accounts/"+account))
		case !known && len(q.unplaced) < mostUnplaced:
			q.unplaced[chat] = true
		}
	}
	return all
}

// chatOf is the chat that a document belongs to, or is, "" for none.
func chatOf(p nestor.Path) nestor.Path {
	parts := strings.SplitN(string(p), "/", 5)
	if len(parts) < 4 || parts[2] != "orch-chats" {
		return ""
	}
	return nestor.Path(strings.Join(parts[:4], "/"))
}

func (q *Quota) limit(owner nestor.Path) int64 {
	if strings.HasPrefix(string(owner), "accounts/") {
		return q.opts.PerAccount
	}
	return q.opts.PerUser
}

// estimate returns that of an owner. It is called with the lock held.
func (q *Quota) estimate(owner nestor.Path) *estimate {
	e := q.of[owner]
	if e == nil {
		e = &estimate{leaked: time.Now()}
		q.of[owner] = e
	}
	return e
}

// Room reports why a document may not be written; see [store.Rules].
func (q *Quota) Room(p nestor.Path, grows, replaces int64) error {
	if !q.bounds() {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, owner := range q.owners(p) {
		e := q.estimate(owner)
		e.asked = time.Now()
		if err := q.fits(owner, e, grows); err != nil {
			return err
		}
		if limit := float64(q.limit(owner)); replaces > little {
			e.leak(limit, q.opts.Log)
			if e.replaced+float64(replaces) > limit {
				return full(owner, int64(e.replaced), int64(limit), "what you replaced and deleted, which the change log keeps for a while, takes")
			}
		}
	}
	return nil
}

// leak forgets what the log does.
func (e *estimate) leak(limit float64, kept time.Duration) {
	now := time.Now()
	e.replaced = max(0, e.replaced-limit*float64(now.Sub(e.leaked))/float64(kept))
	e.leaked = now
}

// fits reports why an owner may not have some bytes more.
func (q *Quota) fits(owner nestor.Path, e *estimate, grows int64) error {
	if grows <= little {
		return nil
	}
	if !e.known {
		q.look()
		if e.added+e.pending+grows > min(unweighed, q.limit(owner)) {
			err := nestor.Errorf(nestor.CodeRateLimited, "the server has just begun to weigh what %s takes: try again in a moment", whose(owner))
			err.Err = nestor.RetryAfter(2 * time.Second)
			return err
		}
		return nil
	}
	if limit := q.limit(owner); e.used()+grows > limit {
		e.refused = true
		return full(owner, e.used(), limit, "documents and files take")
	}
	return nil
}

func whose(owner nestor.Path) string {
	if account, ok := strings.CutPrefix(string(owner), "accounts/"); ok {
		return "the account " + account
	}
	return "you"
}

func full(owner nestor.Path, used, limit int64, what string) error {
	of := "user"
	if strings.HasPrefix(string(owner), "accounts/") {
		of = "account"
	}
	return nestor.Errorf(nestor.CodeStorageFull, "%s %d bytes of the %d that %s may have: delete something", what, used, limit, whose(owner)).
		With("of", of).With("used", used).With("limit", limit)
}

// Check reports why nothing more should be made of the document at p, such as another
// step of an agent.
func (q *Quota) Check(p nestor.Path) error { return q.Room(p, little+1, 0) }

// Upload counts bytes on their way for a user, until release is called. It fails if they
// have no room for them.
func (q *Quota) Upload(p nestor.Path) (add func(n int64) error, release func()) {
	var mine int64
	add = func(n int64) error {
		if err := q.Room(p, n+little, 0); err != nil {
			return err
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, owner := range q.owners(p) {
			q.estimate(owner).pending += n
		}
		mine += n
		return nil
	}
	return add, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, owner := range q.owners(p) {
			q.estimate(owner).pending -= mine
		}
		mine = 0
	}
}

// committed adds what this node wrote.
func (q *Quota) committed(c store.Commit) {
	q.mu.Lock()
	defer q.mu.Unlock()
	catalogue := q.store.Catalogue()
	for _, change := range c.Changes {
		if chatOf(change.Path) == change.Path && change.After != nil {
			q.place(change.After)
		}
		before := catalogue.Weight(change.Before)
		grows := catalogue.Weight(change.After) - before
		for _, owner := range q.owners(change.Path) {
			e := q.estimate(owner)
			e.asked = time.Now()
			e.added += grows
			if change.Before != nil {
				e.leak(float64(q.limit(owner)), q.opts.Log)
				e.replaced += float64(before)
			}
		}
		if chatOf(change.Path) == change.Path && change.After == nil {
			delete(q.accounts, change.Path)
		}
	}
}

// place notes in which account a chat is.
func (q *Quota) place(chat *nestor.Document) {
	if q.opts.PerAccount <= 0 {
		return
	}
	var in struct {
		AccountID string `json:"accountId"`
	}
	if chat.Decode(&in) != nil {
		return
	}
	if len(q.accounts) >= mostPlaced {
		clear(q.accounts)
	}
	q.accounts[chat.Path] = in.AccountID
	delete(q.unplaced, chat.Path)
}

// How many chats a node remembers the account of, and looks for at once.
const mostPlaced, mostUnplaced = 100_000, 1_000

// Standing is what an owner takes of what they may.
type Standing struct {
	// Of is users/{id} or accounts/{id}.
	Of    nestor.Path `json:"of"`
	Used  int64       `json:"used"`
	Limit int64       `json:"limit"`
}

// Standing tells what a user or an account takes, false where there is no bound.
func (q *Quota) Standing(ctx context.Context, owner nestor.Path) (Standing, bool, error) {
	limit := q.limit(owner)
	if limit <= 0 {
		return Standing{}, false, nil
	}
	q.mu.Lock()
	e := q.of[owner]
	if e != nil && e.known {
		used := e.used()
		e.asked = time.Now()
		q.mu.Unlock()
		return Standing{owner, used, limit}, true, nil
	}
	q.mu.Unlock()
	err := q.weigh(ctx, owner)
	q.mu.Lock()
	defer q.mu.Unlock()
	return Standing{owner, q.estimate(owner).used(), limit}, true, err
}
