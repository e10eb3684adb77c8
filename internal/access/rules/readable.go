package rules

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// Readable returns globs for the documents that the caller can read, all of
// them or those of a flat collection, as things are now. They may match more,
// so [Judge.Sees] decides about each. Others are added when somebody joins an
// account of the caller's, or the caller joins one.
func (j *Judge) Readable(flat string) ([]nestor.Glob, error) {
	if j.caller.Kind == access.AsWebhook {
		return []nestor.Glob{nestor.Glob(j.caller.Grant.Path + "/**")}, nil
	}
	kind, isFlat := j.engine.opts.Catalogue.Flat(flat)
	if flat != "" && !isFlat {
		return nil, nestor.Errorf(nestor.CodeInvalid, "there is no flat collection %q", flat)
	}
	globs := []nestor.Glob{}
	for _, r := range j.engine.reads {
		t := matched(r.path)
		if isFlat {
			if t = flatTarget(kind); !t.meets(r.path) {
				continue
			}
		}
		part, err := r.when.reach.reach(j, t)
		if err != nil {
			return nil, err
		}
		found, err := j.globs(part, t)
		if err != nil {
			return nil, err
		}
		globs = append(globs, found...)
	}
	slices.Sort(globs)
	return slices.Compact(globs), nil
}

func (j *Judge) globs(r reach, t target) (globs []nestor.Glob, err error) {
	if r.all {
		return []nestor.Glob{t.glob(0, "")}, nil
	}
	for _, l := range r.limits {
		segment, values := l.segment, l.values
		if l.inChat {
			segment = 1
			if values, err = j.people(l.values); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			globs = append(globs, t.glob(segment, v))
		}
	}
	return globs, nil
}

// people are those who have chats in accounts or may start one. [""] stands for
// everybody, if there are too many.
func (j *Judge) people(accounts []string) ([]string, error) {
	_, people, ok, err := j.sharedChats(accounts)
	if err != nil {
		return nil, err
	}
	for _, id := range accounts {
		d, err := j.reader.Get(accountPath(id))
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		a, err := nestor.As[struct {
			Members map[string]string `json:"members"`
		}](d)
		if err != nil {
			return nil, err
		}
		for user := range a.Members {
			people = append(people, user)
		}
	}
	slices.Sort(people)
	people = slices.Compact(people)
	if !ok || len(people) > maxNamed {
		return []string{""}, nil
	}
	return people, nil
}

func accountPath(id string) nestor.Path { return nestor.Path("accounts/" + id) }

// Standing matches the documents that [Judge.Shifts] is to be asked about.
func (j *Judge) Standing() nestor.Glob {
	return nestor.Glob("users/" + j.caller.UserID + "/memberships/*")
}

// Shifts reports whether by a change the caller sees documents that they did
// not see before, or no longer sees some, though these did not change: they
// have joined or left an account. The reader of a stream must then resync. The
// judge forgets what it knew of the caller's roles.
func (j *Judge) Shifts(c *nestor.Change) (bool, error) {
	if c.Type == nestor.Update || j.caller.UserID == "" || !j.Standing().Match(string(c.Path)) {
		return false, nil
	}
	clear(j.roles)
	d, err := j.reader.Get(accountPath(c.Path.ID()))
	if isNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	a, err := nestor.As[struct {
		Personal bool `json:"personal"`
	}](d)
	return !a.Personal, err // a personal account is shared with nobody
}
