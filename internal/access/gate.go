package access

import (
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Options configure a [Gate]. Store and Key must be set.
type Options struct {
	Store store.Documents
	// Key checks the grants of webhook receivers and makes tokens from tokens.
	Key *Key
	// Token, the value of NESTOR_TOKEN, makes its bearer the user [Local].
	// Defaults to none: nobody is.
	Token string
	// Proxies are those that say where a request comes from. Default to none.
	Proxies Proxies
	// Public is the address of the server behind a reverse proxy. Defaults to none.
	Public PublicURL
	// Hosts are the names, with or without a port, under which browsers reach
	// this server besides the one in the request. See [CheckOrigin].
	Hosts []string
	// HashCost is what the hash of a password takes.
	HashCost HashCost
	// AccessTTL is how long an access token is good for. Defaults to 15 minutes.
	AccessTTL time.Duration
	// SessionTTL is how long a session lasts after its last refresh. Defaults to
	// 30 days.
	SessionTTL time.Duration
	// RefreshGrace is for how long a refresh token that was traded is answered
	// with the same tokens again. Defaults to 20 seconds.
	RefreshGrace time.Duration
	// Now defaults to time.Now.
	Now func() time.Time
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Gate knows the users, their sessions and their keys. It is safe for concurrent
// use, by any number of processes on one database.
type Gate struct {
	opts      Options
	passwords *hasher
	records   *records
	token     string   // digest of the options' Token, "" for none
	pairs     *lockout // by login and address
	accounts  *lockout // by login
	addresses *lockout
	guesses   *lockout // at the token, by address
	// nobody is the hash that a login of an unknown user is compared with.
	nobody string
}

// New returns a gate.
func New(opts Options) *Gate {
	if opts.AccessTTL == 0 {
		opts.AccessTTL = 15 * time.Minute
	}
	if opts.SessionTTL == 0 {
		opts.SessionTTL = 30 * 24 * time.Hour
	}
	if opts.RefreshGrace == 0 {
		opts.RefreshGrace = 20 * time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	var token string
	if opts.Token != "" {
		token, opts.Token = digest(opts.Token), "" // nothing can print it
	}
	h := newHasher(opts.HashCost, runtime.GOMAXPROCS(0))
	return &Gate{
		opts: opts, passwords: h, records: newRecords(opts.Now),
		token: token, guesses: newLockout(withGuesses, opts.Now),
		pairs: newLockout(withPair, opts.Now), accounts: newLockout(withAccount, opts.Now), addresses: newLockout(withAddress, opts.Now),
		nobody: phc{cost: h.cost, salt: make([]byte, saltSize), sum: make([]byte, hashSize)}.String(),
	}
}

// Where secrets of this package lie.
func secretPath(collection, id string) nestor.Path {
	return nestor.Path(nestor.Secrets+"/access").Child(collection, id)
}

// remove deletes a document that may be gone already.
func remove(tx store.Tx, p nestor.Path) error {
	err := tx.Delete(p, store.AnyVersion)
	if errors.Is(err, nestor.ErrNotFound) {
		return nil
	}
	return err
}
