package rules

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// believed is how long a judge trusts what it looked up.
	believed = time.Second
	// maxRemembered bounds what a judge remembers.
	maxRemembered = 1000
)

type remembered[T any] struct {
	value T
	until time.Time
}

// chat is what conditions see of the chat that a document is or lies in.
type chat struct {
	AccountID string `json:"accountId"`
	ProjectID string `json:"projectId"`
	// since is where in the log the chat was made, 0 if that is not known.
	since int64
}

// ownerRole is the role of a chat's own user, whatever its account says.
const ownerRole = "owner"

// chatRole is what the caller may do in the chat of a path. A chat's own user is
// its owner; others have the role that they have in its account.
func (j *Judge) chatRole(segments []string, doc *nestor.Document) string {
	if !inChat(segments) || j.caller.UserID == "" {
		return ""
	}
	if segments[1] == j.caller.UserID {
		return ownerRole
	}
	return j.role(j.chatOf(segments, doc).AccountID)
}

func inChat(segments []string) bool {
	return len(segments) >= 4 && segments[0] == "users" && segments[2] == "orch-chats"
}

// chatOf is the chat that a path is in: doc if that is the chat itself, and else
// the one that is stored. An empty one stands for none.
func (j *Judge) chatOf(segments []string, doc *nestor.Document) (c chat) {
	if !inChat(segments) {
		return chat{}
	}
	p := nestor.Path(strings.Join(segments[:4], "/"))
	if doc != nil && doc.Path == p {
		return j.decode(doc)
	}
	now := j.engine.opts.Now()
	if r, ok := j.chats[p]; ok && now.Before(r.until) {
		return r.value
	}
	stored, err := j.reader.Get(p)
	switch {
	case err == nil:
		c = j.decode(stored)
		c.since = stored.CreatedSeq
	case !isNotFound(err):
		j.err = err
		return chat{}
	}
	if len(j.chats) >= maxRemembered {
		clear(j.chats)
	}
	j.chats[p] = remembered[chat]{c, now.Add(believed)}
	return c
}

// isOfAnEarlier reports whether a change is of a user who had the caller's id before, or of
// a chat of somebody else that had the id of the one that is there now.
func (j *Judge) isOfAnEarlier(c *nestor.Change) bool {
	switch c.Path.UserID() {
	case "":
		return false
	case j.caller.UserID:
		return c.Seq < j.userSince()
	}
	segments := strings.SplitN(string(c.Path), "/", 5)
	return c.Seq < j.chatOf(segments, nil).since
}

// userSince is where in the log the caller's user was made, 0 if they are no user. The
// local user was always there: the document may be younger than what they wrote.
func (j *Judge) userSince() int64 {
	if j.caller.UserID == access.Local {
		return 0
	}
	now := j.engine.opts.Now()
	if now.Before(j.since.until) {
		return j.since.value
	}
	user, err := store.FindDocument(j.reader, nestor.Path("users/"+j.caller.UserID))
	if err != nil {
		j.err = err
		return 0
	}
	j.since = remembered[int64]{until: now.Add(believed)}
	if user != nil {
		j.since.value = user.CreatedSeq
	}
	return j.since.value
}

func (j *Judge) decode(doc *nestor.Document) (c chat) {
	if err := json.Unmarshal(doc.Data, &c); err != nil {
		j.err = nestor.Errorf(nestor.CodeInternal, "decode %s: %w", doc.Path, err)
	}
	return c
}

// role is the caller's in an account, "" for none.
func (j *Judge) role(accountID string) string {
	if accountID == "" || j.caller.UserID == "" {
		return ""
	}
	now := j.engine.opts.Now()
	if r, ok := j.roles[accountID]; ok && now.Before(r.until) {
		return r.value
	}
	role, err := j.engine.opts.Members.Role(j.reader, accountID, j.caller.UserID)
	if err != nil && !isNotFound(err) {
		j.err = err
		return ""
	}
	if len(j.roles) >= maxRemembered {
		clear(j.roles)
	}
	j.roles[accountID] = remembered[string]{role, now.Add(believed)}
	return role
}

// accounts are those that the caller is a member of, found by their
// memberships. False means that there are too many to name.
func (j *Judge) accounts() (ids []string, ok bool, err error) {
	if j.caller.UserID == "" {
		return nil, true, nil
	}
	page, err := j.reader.Query(store.Query{Collection: "users/" + j.caller.UserID + "/memberships", Limit: maxNamed})
	if err != nil {
		return nil, false, err
	}
	for _, d := range page.Items {
		ids = append(ids, d.Path.ID())
	}
	return ids, page.Next == "", nil
}
