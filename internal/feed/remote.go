package feed

import (
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// RemoteOptions configure [Remote].
type RemoteOptions struct {
	// Silence is for how long nothing may be said in a draft before it is
	// dropped. Defaults to 1 minute.
	Silence time.Duration
	// PerUser and All are how many bytes the open drafts of one user, and of
	// all, may have. Default to 16 and 128 MiB.
	PerUser, All int
}

const (
	// maxRemote bounds one draft: documents are not larger either.
	maxRemote = 1 << 20
	// remoteOverhead is what an open draft counts for besides its texts. It
	// bounds how many there are.
	remoteOverhead = 16 << 10
)

// Remote are the drafts of programs elsewhere that do the work of a stage. Their
// writers can vanish at any moment, so a draft in which nothing was said for a
// while is dropped, and what they can fill is bounded. It is safe for concurrent
// use.
type Remote struct {
	feed *Feed
	opts RemoteOptions

	mu    sync.Mutex
	open  map[nestor.Path]*remoteDraft
	used  int
	users map[string]int // bytes by user
}

type remoteDraft struct {
	writer  *Writer
	path    nestor.Path
	user    string
	size    int // of the texts
	silence *time.Timer
}

// Words are what a program says in its draft with one call. No words at all say
// that it is still there.
type Words struct {
	// Restart voids what was said before: the program begins anew.
	Restart   bool   `json:"restart,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Text      string `json:"text,omitempty"`
	// Drop ends the draft: nothing will come of it.
	Drop bool `json:"drop,omitempty"`
}

// NewRemote makes the drafts that are shown by f.
func NewRemote(f *Feed, opts RemoteOptions) *Remote {
	if opts.Silence == 0 {
		opts.Silence = time.Minute
	}
	if opts.PerUser == 0 {
		opts.PerUser = 16 << 20
	}
	if opts.All == 0 {
		opts.All = 128 << 20
	}
	return &Remote{feed: f, opts: opts, open: map[nestor.Path]*remoteDraft{}, users: map[string]int{}}
}

// Say adds the words of a user's program to a draft, which it begins if need be:
// then it reports true. The draft ends with a Drop, with its document, or by
// silence. What is refused changes nothing.
func (r *Remote) Say(d Draft, user string, w Words) (began bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	draft := r.open[d.Path]
	if draft != nil && !draft.writer.isOpen() {
		r.close(draft)
		draft = nil
	}
	switch {
	case draft == nil && w.Drop:
		return false, nil
	case draft != nil && draft.user != user, draft == nil && r.feed.isDrafted(d.Path):
		return false, nestor.Errorf(nestor.CodeConflict, "somebody else is writing %s", d.Path)
	case draft == nil:
		r.closeEnded()
	}
	if err := r.take(draft, user, w); err != nil {
		return false, err
	}
	if draft == nil {
		began = true
		draft = &remoteDraft{writer: r.feed.Begin(d), path: d.Path, user: user}
		draft.silence = time.AfterFunc(r.opts.Silence, func() { r.fallSilent(draft) })
		r.open[d.Path] = draft
	}
	draft.say(w)
	draft.silence.Reset(r.opts.Silence)
	if w.Drop {
		r.drop(draft)
	}
	return began, nil
}

// Drop ends a draft that should not have begun.
func (r *Remote) Drop(p nestor.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.open[p]; d != nil {
		r.drop(d)
	}
}

func (d *remoteDraft) say(w Words) {
	if w.Restart {
		d.writer.Restart()
		d.size = 0
	}
	d.writer.Reasoning(w.Reasoning)
	d.writer.Text(w.Text)
	d.size += len(w.Reasoning) + len(w.Text)
}

// take counts what is about to be said, if there is room for it. Nil stands for a
// draft that is about to begin.
func (r *Remote) take(draft *remoteDraft, user string, w Words) error {
	size, more := 0, len(w.Reasoning)+len(w.Text)
	if draft != nil {
		size = draft.size
	}
	after := size + more
	if w.Restart {
		after = more
	}
	grows := after - size
	if draft == nil {
		grows += remoteOverhead
	}
	switch {
	case after > maxRemote:
		return nestor.Errorf(nestor.CodeTooLarge, "a draft has at most %d bytes", maxRemote)
	case grows > 0 && r.users[user]+grows > r.opts.PerUser:
		return r.full("you have as many or as long drafts open as one user may", "user")
	case grows > 0 && r.used+grows > r.opts.All:
		return r.full("the server has as many or as long drafts open as it may", "server")
	}
	r.count(user, grows)
	return nil
}

func (r *Remote) full(text, of string) error {
	err := nestor.Errorf(nestor.CodeRateLimited, "%s: write the documents of some, or try again later", text)
	err.Err = nestor.RetryAfter(5 * time.Second)
	return err.With("of", of)
}

func (r *Remote) count(user string, n int) {
	r.used += n
	if r.users[user] += n; r.users[user] == 0 {
		delete(r.users, user)
	}
}

// fallSilent drops a draft whose program said nothing for too long. If it has
// ended meanwhile, or another one began at its path, this does nothing to them.
func (r *Remote) fallSilent(d *remoteDraft) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[d.path] == d {
		r.drop(d)
	}
}

func (r *Remote) drop(d *remoteDraft) {
	d.writer.Drop()
	r.close(d)
}

// close lets go of a draft that has ended.
func (r *Remote) close(d *remoteDraft) {
	d.silence.Stop()
	delete(r.open, d.path)
	r.count(d.user, -d.size-remoteOverhead)
}

// closeEnded lets go of the drafts whose documents were written.
func (r *Remote) closeEnded() {
	for _, d := range r.open {
		if !d.writer.isOpen() {
			r.close(d)
		}
	}
}

func (w *Writer) isOpen() bool {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	return w.ended == 0
}

// isDrafted reports whether somebody on this node writes a draft at p.
func (f *Feed) isDrafted(p nestor.Path) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.open[p]
	return w != nil && w.origin == ""
}
