package trigger

import (
	"slices"

	"github.com/nestorhq/nestor"
)

// index finds the rules that a change may concern. It leaves out only rules
// that cannot match.
type index struct {
	globs nestor.GlobIndex[*shelf]
}

// shelf holds the rules of one glob, by event.
type shelf [3]drawer

// drawer holds the rules of one glob and event, by what they need.
type drawer struct {
	byField map[field]map[string][]*rule
	rest    []*rule
}

// eventNumber numbers the events; false if there is no such event.
func eventNumber(e nestor.ChangeType) (int, bool) {
	switch e {
	case nestor.Create:
		return 0, true
	case nestor.Update:
		return 1, true
	case nestor.Delete:
		return 2, true
	}
	return 0, false
}

func newIndex(rules []*rule) *index {
	x := &index{}
	shelves := map[nestor.Glob]*shelf{}
	for _, r := range rules {
		s := shelves[r.Collection]
		if s == nil {
			s = &shelf{}
			shelves[r.Collection] = s
			x.globs.Add(r.Collection, s)
		}
		for _, e := range r.Events {
			i, _ := eventNumber(e)
			s[i].add(r)
		}
	}
	return x
}

func (d *drawer) add(r *rule) {
	if r.condition == nil || r.condition.needs == nil {
		d.rest = append(d.rest, r)
		return
	}
	needs := r.condition.needs
	if d.byField == nil {
		d.byField = map[field]map[string][]*rule{}
	}
	byValue := d.byField[needs.field]
	if byValue == nil {
		byValue = map[string][]*rule{}
		d.byField[needs.field] = byValue
	}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(needs.values))) {
		byValue[v] = append(byValue[v], r)
	}
}

// candidates returns the rules that may match, in the order they were given.
func (x *index) candidates(s *scope) []*rule {
	event, ok := eventNumber(s.event.Type)
	if !ok {
		return nil
	}
	var found []*rule
	x.globs.Match(s.event.Path.Collection(), func(sh *shelf) {
		found = sh[event].find(s.document, found)
	})
	slices.SortFunc(found, func(a, b *rule) int { return a.place - b.place })
	return found
}

func (d *drawer) find(doc *snapshot, found []*rule) []*rule {
	found = append(found, d.rest...)
	if len(d.byField) == 0 {
		return found
	}
	look := func(f field, byValue map[string][]*rule) {
		if value, ok := doc.text(f); ok {
			found = append(found, byValue[value]...)
		}
	}
	// Walk the smaller side: the fields that rules ask for, or those there are.
	if body := doc.body(); len(d.byField) > len(body)+2 {
		for name := range body {
			f := field{name, false}
			look(f, d.byField[f])
		}
		for _, f := range []field{{"id", true}, {"path", true}} {
			look(f, d.byField[f])
		}
		return found
	}
	for f, byValue := range d.byField {
		look(f, byValue)
	}
	return found
}
