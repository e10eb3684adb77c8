package connection

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Options are what connections are kept in and made with.
type Options struct {
	Store store.Documents
	// Key seals the secrets.
	Key *access.Key
	// Env looks up the variables of [FromEnv].
	Env func(string) string
	// Models are those of the program itself, by the id of their connection. One
	// called "default" takes the place of the environment's.
	Models map[string]llm.Model
	// HTTPClient sends the requests to providers. Defaults to one on
	// http.DefaultTransport.
	HTTPClient *http.Client
	// AllowPrivate lets everybody have connections to private and loopback
	// addresses. Defaults to false: only administrators may.
	AllowPrivate bool
	// UserBudget bounds what each user may use in all, by tests, too. Defaults to
	// no bound.
	UserBudget nestor.Budget
	// TestTimeout bounds a test. Defaults to 30 s.
	TestTimeout time.Duration
	// Failed is told of each call that ended with an error, after all retries and
	// fallbacks: for whom it was, of which model, and how long it took. A call that was
	// interrupted is none of these. It may be nil.
	Failed func(userID, model string, took time.Duration)
}

// Connections are the connections of all users. They are safe for concurrent
// use.
type Connections struct {
	opts   Options
	fixed  []Connection // the default one first, which is the environment's or the program's
	secret Credentials  // the environment's
	public *http.Client

	choices *choices

	mu     sync.Mutex
	models map[string]built
}

// New reads the environment. It fails if that makes no sense.
func New(opts Options) (*Connections, error) {
	if opts.TestTimeout == 0 {
		opts.TestTimeout = 30 * time.Second
	}
	s := &Connections{opts: opts, fixed: opts.own(), public: public(), choices: newChoices(opts.Store), models: map[string]built{}}
	if opts.Models[Default] == nil {
		c, secret, err := FromEnv(opts.Env)
		if err != nil {
			return nil, err
		}
		s.fixed, s.secret = slices.Insert(s.fixed, 0, c), secret
	}
	return s, nil
}

// sealed is the document that holds what is secret about a connection.
type sealed struct {
	nestor.Meta
	// Sealed is the key, "" if there is none.
	Sealed string `json:"sealed"`
	// Headers are the sealed headers, a JSON object of texts; their names are no
	// secret.
	Headers     string   `json:"headers,omitempty"`
	HeaderNames []string `json:"headerNames,omitempty"`
	// Origin is where all of it may be sent.
	Origin string `json:"origin"`
}

const collection = "model-connections"

// PathOf is where a connection of a user is stored.
func PathOf(userID, id string) nestor.Path { return documentPath(userID, id) }

func documentPath(userID, id string) nestor.Path {
	return nestor.Path("users/"+userID).Child(collection, id)
}

func secretPath(userID, id string) nestor.Path {
	return nestor.Path(nestor.Secrets+"/"+userID).Child(collection, id)
}

// List returns the environment's connection, those of the program and those of a
// user, oldest first.
func (s *Connections) List(ctx context.Context, userID string) ([]Connection, error) {
	var list []Connection
	err := s.opts.Store.View(ctx, func(r store.Reader) error {
		chosen, err := s.chosen(r, userID)
		if err != nil {
			return err
		}
		list = slices.Clone(s.fixed)
		for i := range list {
			list[i].Default = list[i].ID == chosen
		}
		q := store.Query{Collection: documentPath(userID, "x").Collection(), Limit: store.MaxLimit}
		for {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				c, err := shown(r, userID, chosen, d)
				if err != nil {
					return err
				}
				list = append(list, c)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
	return list, err
}

// shown is a connection for people. One that cannot be read is shown, too, so that
// it can be repaired.
func shown(r store.Reader, userID, chosen string, d *nestor.Document) (Connection, error) {
	e, err := read(r, userID, d)
	if errors.Is(err, nestor.ErrInvalid) {
		e, err = entry{Connection: Connection{Meta: d.Meta(), Name: d.Path.ID(), Description: err.Error()}}, nil
	}
	e.Default = d.Path.ID() == chosen
	return e.Connection, err
}

// Show returns documents of a user's connections as clients may see them: with what
// connections have, whoever wrote the documents, and with whether there is a
// secret.
func (s *Connections) Show(ctx context.Context, userID string, docs ...*nestor.Document) ([]*nestor.Document, error) {
	all := make([]*nestor.Document, len(docs))
	err := s.opts.Store.View(ctx, func(r store.Reader) error {
		chosen, err := s.chosen(r, userID)
		if err != nil {
			return err
		}
		for i, d := range docs {
			c, err := shown(r, userID, chosen, d)
			if err != nil {
				return err
			}
			clean := *d
			c.Meta = nestor.Meta{} // which the document has itself
			if clean.Data, err = json.Marshal(c); err != nil {
				return err
			}
			all[i] = &clean
		}
		return nil
	})
	return all, err
}

// Get returns one connection.
func (s *Connections) Get(ctx context.Context, userID, id string) (Connection, error) {
	e, err := s.load(ctx, userID, id)
	return e.Connection, err
}

// entry is a connection as it is stored, with its secret still sealed.
type entry struct {
	Connection
	secret *sealed
	// confined: it reaches public addresses only.
	confined bool
	// unsaved: it is only tried.
	unsaved bool
}

// label is what messages call the connection.
func (e *entry) label() string {
	if e.unsaved {
		return e.Name
	}
	return e.ID
}

// load reads one connection. "" is the user's default.
func (s *Connections) load(ctx context.Context, userID, id string) (e entry, err error) {
	if c, ok := s.given(id); ok {
		return entry{Connection: c}, nil
	}
	if id == "" { // mostly nobody chose: that is found out at every step, so it costs no View
		if c, ok, err := s.givenByDefault(ctx, userID); err != nil || ok {
			return entry{Connection: c}, err
		}
	}
	err = s.opts.Store.View(ctx, func(r store.Reader) (err error) {
		named := id
		if named == "" {
			if named, err = s.chosen(r, userID); err != nil {
				return err
			}
		}
		if e, err = s.find(r, userID, named); err != nil || e.ReadOnly || e.BaseURL == "" {
			return err
		}
		e.confined, err = s.confined(r, userID)
		return err
	})
	return e, err
}

// Find returns one connection as a transaction sees it, nil if there is none of that id.
func (s *Connections) Find(r store.Reader, userID, id string) (*Connection, error) {
	if c, ok := s.given(id); ok {
		return &c, nil
	}
	if nestor.CheckID(id) != nil {
		return nil, nil
	}
	d, err := store.FindDocument(r, documentPath(userID, id))
	if d == nil || err != nil {
		return nil, err
	}
	c, err := shown(r, userID, "", d)
	return &c, err
}

// find reads one connection by its id, whoever it comes from.
func (s *Connections) find(r store.Reader, userID, id string) (entry, error) {
	if c, ok := s.given(id); ok {
		return entry{Connection: c}, nil
	}
	if err := nestor.CheckID(id); err != nil {
		return entry{}, err
	}
	return get(r, userID, id)
}

func get(r store.Reader, userID, id string) (entry, error) {
	d, err := r.Get(documentPath(userID, id))
	if errors.Is(err, nestor.ErrNotFound) {
		return entry{}, missing(id)
	}
	if err != nil {
		return entry{}, err
	}
	return read(r, userID, d)
}

// read decodes a connection. It does not believe the document about whether
// there is a secret: others than Save may write the document.
func read(r store.Reader, userID string, d *nestor.Document) (entry, error) {
	c, err := nestor.As[Connection](d)
	if err != nil {
		return entry{}, nestor.Errorf(nestor.CodeInvalid, "%s is not a model connection: save or delete it", d.Path)
	}
	kept, err := store.Find[sealed](r, secretPath(userID, c.ID))
	c.HasSecret, c.HeaderNames, c.ReadOnly, c.Default = false, nil, false, false
	if kept != nil {
		c.HasSecret, c.HeaderNames = kept.Sealed != "", kept.HeaderNames
	}
	return entry{Connection: c, secret: kept}, err
}

func has(r store.Reader, p nestor.Path) (bool, error) {
	_, err := r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func missing(id string) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no model connection %s", id)
}

func readOnly() error {
	return nestor.Errorf(nestor.CodeForbidden, "this connection comes from the environment, or from the program that runs the server: set %s to change the default one", modelVariable)
}
