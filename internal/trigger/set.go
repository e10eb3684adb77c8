package trigger

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Options configure a [Set].
type Options struct {
	// BuiltIn is what the program itself has triggers for.
	BuiltIn BuiltIn
	// Logger is told, once per trigger, that its condition cannot be
	// evaluated. Defaults to slog.Default().
	Logger *slog.Logger
}

// Set is a number of compiled triggers. It is safe for concurrent use.
type Set struct {
	rules   []*rule
	byID    map[string]*rule
	more    []*rule // by which handlers go on with what they began; see [BuiltIn.goesOn]
	index   *index
	builtIn BuiltIn
	logger  *slog.Logger
	// ignored is what of the triggers does not count.
	ignored []string
}

var _ store.Planner = (*Set)(nil)

// New compiles triggers. Its error lists every problem, one per line.
func New(triggers []nestor.Trigger, o Options) (*Set, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Set{byID: make(map[string]*rule, len(triggers)), builtIn: o.BuiltIn, logger: o.Logger}
	var problems []string
	for i, t := range triggers {
		r, found := s.builtIn.newRule(t, i)
		if s.byID[t.ID] != nil || s.builtIn.isReaction(t.ID) {
			found = append(found, problem{text: "the id is taken by another trigger"})
		}
		for _, p := range found {
			problems = append(problems, fmt.Sprintf("trigger %q: %s", t.ID, p.text))
		}
		s.ignored = append(s.ignored, s.builtIn.ignored(r, &t)...)
		s.rules = append(s.rules, r)
		s.byID[t.ID] = r
	}
	if len(problems) > 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s", strings.Join(problems, "\n"))
	}
	s.more = s.builtIn.goesOn(s.rules)
	indexed := slices.Concat(s.rules, s.more)
	for i, t := range s.builtIn.Reactions {
		r, _ := s.builtIn.newRule(t, len(indexed)+i)
		s.byID[t.ID] = r
		indexed = append(indexed, r)
	}
	s.index = newIndex(indexed)
	return s, nil
}

// Plan implements [store.Planner]. The jobs are in the order of the triggers.
func (s *Set) Plan(e *store.Event) []nestor.Job {
	if nestor.IsSecret(string(e.Path)) {
		return nil
	}
	scope := newScope(e)
	var jobs []nestor.Job
	for _, r := range s.index.candidates(scope) {
		if !r.on() {
			continue
		}
		outcome, err := r.judge(scope)
		if err != nil {
			r.lastError.Store(new(err.Error()))
		}
		if err != nil && r.errors.Add(1) == 1 {
			s.logger.Warn("the condition of a trigger cannot be evaluated; this is counted, but not logged again",
				"trigger", r.ID, "path", e.Path, "error", err)
		}
		if !outcome.fires() {
			continue
		}
		if r.begins != nil {
			if s.planned(jobs, r, &e.Change) {
				continue
			}
			r = r.begins
		}
		r.fired.Add(1)
		r.lastFired.Store(e.At)
		jobs = append(jobs, r.job(&e.Change))
	}
	return jobs
}

// planned reports whether a handler has a job for a change already.
func (s *Set) planned(jobs []nestor.Job, r *rule, c *nestor.Change) bool {
	key := r.key.fill(r.ID, c)
	return slices.ContainsFunc(jobs, func(j nestor.Job) bool {
		return j.Key == key && s.byID[j.Trigger].action.Handler == r.action.Handler
	})
}

// SetEnabled switches a trigger on or off, until the process ends.
func (s *Set) SetEnabled(id string, enabled bool) error {
	r := s.byID[id]
	if r == nil || s.builtIn.isReaction(id) {
		return nestor.Errorf(nestor.CodeNotFound, "there is no trigger %q", id)
	}
	r.enabled.Store(enabled)
	return nil
}

// Info is a trigger as it may be shown: with its defaults filled in, without
// its secret and without the values of its headers.
type Info struct {
	nestor.Trigger
	// Handler is the built-in handler that its action names, "" for a webhook.
	Handler string `json:"-"`
	// Fired counts the times it fired since the process started, those in
	// transactions that were rolled back included.
	Fired int64 `json:"fired"`
	// LastFired is when it last did, in Unix milliseconds.
	LastFired int64 `json:"lastFired,omitempty"`
	// Errors counts the evaluations of its condition that failed, and LastError is why the
	// last of them did.
	Errors    int64  `json:"errors"`
	LastError string `json:"lastError,omitempty"`
}

// Get returns one trigger, false if there is none of that id.
func (s *Set) Get(id string) (Info, bool) {
	r := s.byID[id]
	if r == nil {
		return Info{}, false
	}
	return r.info(), true
}

// List returns all triggers in the order they were given.
func (s *Set) List() []Info {
	list := make([]Info, len(s.rules))
	for i, r := range s.rules {
		list[i] = r.info()
	}
	return list
}

// hidden stands for what must not be shown.
const hidden = "(hidden)"

func (r *rule) info() Info {
	t := r.Trigger
	t.Enabled = new(r.enabled.Load())
	if t.Secret != "" {
		t.Secret = hidden
	}
	t.Events = slices.Clone(t.Events)
	t.Headers = maps.Clone(t.Headers)
	for name := range t.Headers {
		t.Headers[name] = hidden
	}
	info := Info{Trigger: t, Handler: r.action.Handler, Fired: r.fired.Load(), LastFired: r.lastFired.Load(), Errors: r.errors.Load()}
	if text := r.lastError.Load(); text != nil {
		info.LastError = *text
	}
	return info
}
