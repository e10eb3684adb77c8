package tool

import (
	"context"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// Registry is the set of tools of one run. It holds no more than it was given
// and does not change, so nothing leaks from one project to another. It is
// safe for concurrent use.
type Registry struct {
	tools  []*Tool
	names  []string // offered names, parallel to tools
	byName map[string]*Tool
	opts   Options

	offer []llm.Tool
	// joined is what OfferWith returned last: agents that wait for a model hold on to it.
	joined atomic.Pointer[joined]
	// without has registries by the tools that they leave out of this one; see Useful.
	without sync.Map
}

// joined is an offer with more tools.
type joined struct{ more, all []llm.Tool }

// NewRegistry makes a registry that offers tools in the given order.
func NewRegistry(tools []*Tool, opts Options) *Registry {
	own := make([]string, len(tools))
	for i, t := range tools {
		own[i] = t.Name
	}
	r := &Registry{tools: tools, names: Names(own), byName: make(map[string]*Tool, len(tools)), opts: opts}
	for i, name := range r.names {
		r.byName[name] = tools[i]
	}
	r.describe()
	return r
}

// Union has the tools that at least one of the registries offers, under the names
// of the first that does.
func Union(registries ...*Registry) *Registry {
	all := &Registry{byName: map[string]*Tool{}}
	for _, r := range registries {
		all.opts = r.opts
		for i, name := range r.names {
			if _, twice := all.byName[name]; !twice {
				all.tools, all.names = append(all.tools, r.tools[i]), append(all.names, name)
				all.byName[name] = r.tools[i]
			}
		}
	}
	all.describe()
	return all
}

// Only has the tools that are good for something, under the names they have here.
func (r *Registry) Only(good func(*Tool) bool) *Registry {
	some := &Registry{byName: map[string]*Tool{}, opts: r.opts}
	for i, name := range r.names {
		if t := r.tools[i]; good(t) {
			some.tools, some.names, some.byName[name] = append(some.tools, t), append(some.names, name), t
		}
	}
	some.describe()
	return some
}

// Of reports whether the registry has exactly these tools.
func (r *Registry) Of(tools []*Tool) bool { return slices.Equal(r.tools, tools) }

// Offer describes the tools to a model, without those that cannot work yet. Every
// name matches ^[a-zA-Z0-9_-]{1,64}$ and occurs once. The list is the registry's own.
func (r *Registry) Offer() []llm.Tool { return r.offer }

// OfferWith is the offer and more tools. Who gives the same list as the one before gets the
// same list as that one, which must not be changed.
func (r *Registry) OfferWith(more []llm.Tool) []llm.Tool {
	if len(more) == 0 {
		return r.offer
	}
	if last := r.joined.Load(); last != nil && len(last.more) == len(more) && &last.more[0] == &more[0] {
		return last.all
	}
	all := slices.Concat(r.offer, more)
	r.joined.Store(&joined{more, all})
	return all
}

func (r *Registry) describe() {
	offer := make([]llm.Tool, 0, len(r.tools))
	for i, t := range r.tools {
		if t.Needs == "" {
			offer = append(offer, llm.Tool{Name: r.names[i], Description: t.Description, Parameters: t.Parameters, XML: t.XML})
		}
	}
	r.offer = slices.Clip(offer)
}

// All yields every tool by the name it has here, for people.
func (r *Registry) All() iter.Seq2[string, *Tool] {
	return func(yield func(string, *Tool) bool) {
		for i, t := range r.tools {
			if !yield(r.names[i], t) {
				return
			}
		}
	}
}

// Lookup finds a tool by the name it is offered under.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	t, ok := r.byName[name]
	return t, ok
}

// Execute runs the tool that is offered as call.Name, as the function
// [Execute] does. A name that nobody offered is a failed result, too.
func (r *Registry) Execute(ctx context.Context, call Call) Result {
	t, ok := r.Lookup(call.Name)
	if !ok {
		return Result{Status: nestor.ToolCallFailed, Code: nestor.CodeNotFound, Error: r.missing(call.Name).Error()}
	}
	return Execute(ctx, t, call, r.opts)
}

// Check reports why [Registry.Execute] would refuse a call before it runs a tool.
// Its error is for the model, which was offered more tools than these.
func (r *Registry) Check(name, arguments string, more ...llm.Tool) error {
	t, ok := r.Lookup(name)
	if !ok {
		return r.missing(name, more...)
	}
	_, err := t.schema.check(arguments)
	if err != nil {
		text, _ := limit(err.Error(), t.OutputLimit)
		return nestor.Errorf(nestor.CodeOf(err), "%s", text)
	}
	return nil
}

// parallelCalls is what some models call in order to call several tools at once.
const parallelCalls = "multi_tool_use.parallel"

func (r *Registry) missing(name string, more ...llm.Tool) error {
	var names []string
	for _, t := range slices.Concat(r.Offer(), more) {
		names = append(names, t.Name)
	}
	there := "There are no tools."
	if len(names) > 0 {
		there = "The tools are: " + strings.Join(names, ", ") + "."
	}
	switch name {
	case "":
		return nestor.Errorf(nestor.CodeNotFound, "the call does not name its tool. %s", there)
	case parallelCalls:
		return nestor.Errorf(nestor.CodeNotFound, "there is no tool %s. Make the calls side by side in one reply, each as a call of its own. %s", name, there)
	}
	return nestor.Errorf(nestor.CodeNotFound, "there is no tool %s. %s", name, there)
}

// Select returns the tools that match at least one pattern, in their order. A
// pattern is a tool's name or a glob such as mcp_*, as in [path.Match], over
// the name in the form in which tools are offered, the name as it is, and the aliases. In a
// glob with a slash, such as "GET /pets*", a star stands for slashes, too.
func Select(tools []*Tool, patterns []string) []*Tool {
	var selected []*Tool
	for _, t := range tools {
		if slices.ContainsFunc(patterns, t.matches) {
			selected = append(selected, t)
		}
	}
	return selected
}

func (t *Tool) matches(pattern string) bool {
	return matches(pattern, t.Name) || matches(pattern, CleanName(t.Name)) ||
		slices.ContainsFunc(t.Aliases, func(alias string) bool { return matches(pattern, alias) })
}

// Selects reports whether one of the patterns selects a tool of these names.
func Selects(patterns []string, names ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) })
	})
}

func matches(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if strings.Contains(pattern, "/") {
		pattern, name = strings.ReplaceAll(pattern, "/", "\x1f"), strings.ReplaceAll(name, "/", "\x1f")
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
