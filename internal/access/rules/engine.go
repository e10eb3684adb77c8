package rules

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Members tells who is a member of which account.
type Members interface {
	// Role is what a user may do in an account: owner, member or viewer. For
	// somebody who is no member it is "", or an error of [nestor.CodeNotFound].
	Role(r store.Reader, accountID, userID string) (role string, err error)
}

// Options configure an [Engine]. Members and Key must be set.
type Options struct {
	// Name is that of the file, for errors.
	Name string
	// File is the text of a rules file of the user's own, which replaces the
	// built-in rules. Defaults to the built-in rules.
	File []byte
	// Modules are the files of modules, by name, which add to the built-in rules.
	Modules map[string][]byte
	Members Members
	// Catalogue tells the kinds of documents. Defaults to [store.DefaultCatalogue].
	Catalogue *store.Catalogue
	// Key seals cursors that hold values of a document which the caller may not
	// see.
	Key *access.Key
	// Now defaults to time.Now.
	Now func() time.Time
}

// Engine holds compiled rules. It is safe for concurrent use.
type Engine struct {
	opts  Options
	rules map[Op]*nestor.GlobIndex[*rule]
	reads []*rule
}

// New compiles rules. Its error lists all that is wrong with the file.
func New(opts Options) (*Engine, error) {
	files := []file{{opts.Name, opts.File}}
	if opts.File == nil {
		files = standard(opts.Modules)
	}
	if opts.Catalogue == nil {
		opts.Catalogue = store.DefaultCatalogue
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	var list []*rule
	for _, f := range files {
		more, err := parse(f.name, f.text)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	e := &Engine{opts: opts, rules: map[Op]*nestor.GlobIndex[*rule]{}}
	for _, op := range ops {
		e.rules[op] = &nestor.GlobIndex[*rule]{}
	}
	for _, r := range list {
		for _, op := range r.ops {
			e.rules[op].Add(r.path.glob(), r)
			if op == Read {
				e.reads = append(e.reads, r)
			}
		}
	}
	return e, nil
}

// On returns the judge of what a caller may do, by what the reader sees. Judges
// are cheap: make one per request or stream, and use it from one goroutine.
func (e *Engine) On(r store.Reader, c access.Caller) *Judge {
	return &Judge{engine: e, reader: r, caller: c, chats: map[nestor.Path]remembered[chat]{}, roles: map[string]remembered[string]{}}
}

// Live reads documents one by one, each as it is now: the reader for the judge
// of a stream, which has no transaction that spans it.
func Live(ctx context.Context, s store.Documents) store.Reader { return live{ctx, s} }

type live struct {
	ctx   context.Context
	store store.Documents
}

func (l live) Get(p nestor.Path) (d *nestor.Document, err error) {
	err = l.store.View(l.ctx, func(r store.Reader) (err error) {
		d, err = r.Get(p)
		return err
	})
	return d, err
}

func (l live) Query(q store.Query) (page store.Page, err error) {
	err = l.store.View(l.ctx, func(r store.Reader) (err error) {
		page, err = r.Query(q)
		return err
	})
	return page, err
}

func isNotFound(err error) bool { return errors.Is(err, nestor.ErrNotFound) }
