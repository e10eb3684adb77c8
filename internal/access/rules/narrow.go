package rules

import (
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// maxNamed is how many accounts, chats or people a query or a subscription
// names. If there are more, it asks for everybody's, and the rules sort them
// out.
const maxNamed = 100

// narrow limits a query to where the caller can find something. Its error is of
// [nestor.CodeForbidden] if that is nowhere, which never depends on documents that
// the caller may not see.
func (j *Judge) narrow(q *store.Query) error {
	if !j.reaches(*q) {
		return noList(*q)
	}
	t, err := queried(j.engine.opts.Catalogue, *q)
	if err != nil {
		return err
	}
	if !j.caller.ReachesSome(t.glob(0, "")) {
		return noList(*q)
	}
	sum := reach{}
	for _, r := range j.engine.reads {
		if sum.all || !t.meets(r.path) {
			continue
		}
		part, err := r.when.reach.reach(j, t)
		if err != nil {
			return err
		}
		sum = sum.or(part)
	}
	if sum.isNothing() {
		return noList(*q)
	}
	if sum.all {
		return nil
	}
	alternatives := []store.Filter{}
	for _, l := range sum.limits {
		f, ok, err := j.filter(l, t)
		if err != nil || !ok {
			return err
		}
		alternatives = append(alternatives, f...)
	}
	where := store.Filter{Or: alternatives}
	if q.Where != nil {
		where = store.Filter{And: []store.Filter{*q.Where, where}}
	}
	q.Where = &where
	return nil
}

// reaches is [access.Caller.Reaches] for lists: a grant is for collections below
// its path, never for a whole kind.
func (j *Judge) reaches(q store.Query) bool {
	if nestor.IsSecret(q.Collection) {
		return false
	}
	return j.caller.Kind != access.AsWebhook || strings.HasPrefix(q.Collection, string(j.caller.Grant.Path)+"/")
}

// filter writes a limit as filters, any of which must hold. False means that it
// cannot be written.
func (j *Judge) filter(l limit, t target) ([]store.Filter, bool, error) {
	if !l.inChat {
		return []store.Filter{in(t.segments[l.segment].field, l.values)}, true, nil
	}
	if len(t.segments) == 4 {
		return []store.Filter{in("accountId", l.values)}, true, nil
	}
	chats, owners, ok, err := j.sharedChats(l.values)
	switch {
	case err != nil || !ok:
		return nil, false, err
	case len(chats) == 0:
		return nil, true, nil
	case len(chats) <= maxNamed && t.segments[3].field != "":
		return []store.Filter{in(t.segments[3].field, chats)}, true, nil
	case len(owners) <= maxNamed && t.segments[1].field != "":
		return []store.Filter{in(t.segments[1].field, owners)}, true, nil
	}
	return nil, false, nil
}

func in(field string, values []string) store.Filter {
	return store.Filter{Field: field, Op: store.In, Value: values}
}

// sharedChats are other users' chats that belong to accounts, and whose they
// are. False means that there are too many to name.
func (j *Judge) sharedChats(accounts []string) (ids, owners []string, ok bool, err error) {
	page, err := j.reader.Query(store.Query{Flat: store.Chats.Name, Limit: store.MaxLimit, Where: &store.Filter{And: []store.Filter{
		in("accountId", accounts), {Field: "userId", Op: store.Ne, Value: j.caller.UserID},
	}}})
	if err != nil {
		return nil, nil, false, err
	}
	for _, d := range page.Items {
		ids = append(ids, d.Path.ID())
		owners = append(owners, d.Path.UserID())
	}
	slices.Sort(owners)
	return ids, slices.Compact(owners), page.Next == "", nil
}

func noList(q store.Query) error {
	name := q.Collection
	if name == "" {
		name = q.Flat
	}
	return nestor.Errorf(nestor.CodeForbidden, "you may not list %s", name)
}
