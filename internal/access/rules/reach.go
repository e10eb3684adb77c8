package rules

import (
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// A node is a necessary condition: the condition of a rule cannot be true where
// its node is not. Queries and subscriptions are narrowed by nodes, so a node
// may allow more than the condition, and never less.
type node interface {
	// reach is where the node can hold for the judge's caller among the
	// documents of a target.
	reach(j *Judge, t target) (reach, error)
	// covers reports whether the condition itself is certain to be true for every
	// document of a target, whatever it holds. False says nothing.
	covers(j *Judge, t target) bool
}

type (
	// anyOf is a || b.
	anyOf []node
	// allOf is a && b.
	allOf []node
	// isCaller: the segment of the path is the caller's id.
	isCaller struct{ segment int }
	// isAccount: the segment is the id of an account that the caller is in.
	isAccount struct{ segment int }
	// hasChatRole: the caller has a role in the chat.
	hasChatRole struct{}
	// aboutCaller is a condition on request.auth alone.
	aboutCaller struct{ program cel.Program }
	// unknown is all that was not understood.
	unknown struct{}
)

// reach is a part of a target: all of it, or the documents for which one of the
// limits holds. Without limits that is none.
type reach struct {
	all    bool
	limits []limit
}

// limit holds for documents with one of values in a segment, or for those in a
// chat whose account is one of values.
type limit struct {
	segment int
	values  []string
	inChat  bool
}

func everything() reach { return reach{all: true} }

func (r reach) isNothing() bool { return !r.all && len(r.limits) == 0 }

func (r reach) or(s reach) reach {
	if r.all || s.all {
		return everything()
	}
	for _, l := range s.limits {
		if !slices.ContainsFunc(r.limits, l.equals) {
			r.limits = append(r.limits, l)
		}
	}
	return r
}

func (l limit) equals(m limit) bool {
	return l.segment == m.segment && l.inChat == m.inChat && slices.Equal(l.values, m.values)
}

func (n anyOf) reach(j *Judge, t target) (reach, error) {
	sum := reach{}
	for _, part := range n {
		r, err := part.reach(j, t)
		if err != nil {
			return reach{}, err
		}
		sum = sum.or(r)
	}
	return sum, nil
}

// All parts are necessary, so any of them is limit enough.
func (n allOf) reach(j *Judge, t target) (reach, error) {
	least := everything()
	for _, part := range n {
		r, err := part.reach(j, t)
		if err != nil || r.isNothing() {
			return reach{}, err
		}
		if least.all {
			least = r
		}
	}
	return least, nil
}

func (n isCaller) reach(j *Judge, t target) (reach, error) {
	if j.caller.UserID == "" {
		return reach{}, nil
	}
	return among(t, n.segment, []string{j.caller.UserID}), nil
}

func (n isAccount) reach(j *Judge, t target) (reach, error) {
	ids, ok, err := j.accounts()
	if err != nil || !ok {
		return everything(), err
	}
	return among(t, n.segment, ids), nil
}

func among(t target, segment int, values []string) reach {
	value := t.segments[segment].value
	switch {
	case len(values) == 0:
		return reach{}
	case value == "":
		return reach{limits: []limit{{segment: segment, values: values}}}
	case slices.Contains(values, value):
		return everything()
	}
	return reach{}
}

func (hasChatRole) reach(j *Judge, t target) (reach, error) {
	one, ok := t.inChats()
	if !ok {
		return everything(), nil
	}
	if one != nil {
		has := j.chatRole(one, nil) != ""
		return reach{all: has}, j.failure()
	}
	own, err := isCaller{1}.reach(j, t)
	if err != nil || own.all {
		return own, err
	}
	ids, ok, err := j.accounts()
	if err != nil || !ok {
		return everything(), err
	}
	if len(ids) > 0 {
		own.limits = append(own.limits, limit{inChat: true, values: ids})
	}
	return own, nil
}

func (n aboutCaller) reach(j *Judge, _ target) (reach, error) {
	value, _, err := n.program.Eval(&frame{judge: j, op: Read})
	return reach{all: err == nil && value == types.True}, nil
}

func (unknown) reach(*Judge, target) (reach, error) { return everything(), nil }

func (n anyOf) covers(j *Judge, t target) bool {
	return slices.ContainsFunc(n, func(part node) bool { return part.covers(j, t) })
}

func (n allOf) covers(j *Judge, t target) bool {
	return !slices.ContainsFunc(n, func(part node) bool { return !part.covers(j, t) })
}

func (n isCaller) covers(j *Judge, t target) bool {
	return j.caller.UserID != "" && t.segments[n.segment].value == j.caller.UserID
}

func (n aboutCaller) covers(j *Judge, t target) bool {
	r, err := n.reach(j, t)
	return err == nil && r.all
}

// Which roles are enough is not known.
func (isAccount) covers(*Judge, target) bool   { return false }
func (hasChatRole) covers(*Judge, target) bool { return false }
func (unknown) covers(*Judge, target) bool     { return false }
