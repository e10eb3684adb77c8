package sharing

import (
	"context"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

// Since implements [store.Sync]. Beside what the caller may read it tells which
// chats of others they no longer may read. It tells nothing of what they never
// could.
func (g guarded) Since(ctx context.Context, scope store.Scope, after store.Position, limit int) (store.Delta, error) {
	caller, live := access.CallerIn(ctx), rules.Live(ctx, g.Store)
	judge := g.rules.On(live, caller)
	if err := mayPull(judge, caller, scope); err != nil {
		return store.Delta{}, err
	}
	// A reading that goes on from an earlier one begins with what was lost since
	// then.
	resumed := after.Seq > 0 && after.Read == after.Seq && ofOthers(caller, scope)
	if resumed {
		moved, err := account.Moved(ctx, g.Store, caller.UserID, after.Seq)
		if err != nil {
			return store.Delta{}, err
		}
		if moved {
			return store.Delta{}, errMoved
		}
	}
	delta, err := g.Store.Since(ctx, scope, after, limit)
	if err != nil {
		return store.Delta{}, err
	}
	readable := delta.Items[:0]
	for _, l := range delta.Items {
		switch err := judge.May(rules.Read, l.Path, l.Document, nil); nestor.CodeOf(err) {
		case "":
			readable = append(readable, l)
		case nestor.CodeNotFound:
		default:
			return store.Delta{}, err
		}
	}
	delta.Items = readable
	if resumed {
		gone, err := g.departed(ctx, judge, live, scope, after.Seq)
		if err != nil {
			return store.Delta{}, err
		}
		delta.Items = append(delta.Items, gone...)
	}
	return delta, nil
}

// errMoved: the caller has joined or left an account, so they see documents that
// did not change, or no longer see some.
var errMoved = nestor.Errorf(nestor.CodeTooOld, "what is shared with you is not the same as before: begin anew, with an empty copy")

// ofOthers reports whether a scope is all chats of another user, or what lies
// in all of them: the caller sees those that are shared with them. The bearer
// of NESTOR_TOKEN or of a grant sees them for other reasons.
func ofOthers(c access.Caller, scope store.Scope) bool {
	if c.Kind != access.InSession && c.Kind != access.WithKey {
		return false
	}
	segments := strings.Split(scope.String(), "/")
	wide := len(segments) == 3 || len(segments) > 3 && segments[3] == "*"
	return wide && segments[0] == "users" && segments[1] != c.UserID && segments[2] == "orch-chats"
}

// departed are the chats of a scope that the caller could see at a position and
// no longer can, as if they were deleted. There is no such list of what lies in
// these chats: then the copy has to be made anew.
func (g guarded) departed(ctx context.Context, j *rules.Judge, live store.Reader, scope store.Scope, after int64) ([]store.Latest, error) {
	accounts, err := account.Accounts(live, access.CallerIn(ctx).UserID)
	if err != nil {
		return nil, err
	}
	var gone []store.Latest
	for _, a := range accounts {
		left, err := account.Departures(ctx, g.Store, a.Path.ID(), after)
		if err != nil {
			return nil, err
		}
		for _, d := range left {
			chat := d.Chat()
			if scope.Collection == store.Chats && !scope.Documents().Match(string(chat)) ||
				scope.Collection != store.Chats && !strings.HasPrefix(scope.String(), "users/"+d.UserID+"/") {
				continue
			}
			switch err := j.MayAt(rules.Read, chat); nestor.CodeOf(err) {
			case "": // it is shared with them in another way
				continue
			case nestor.CodeNotFound:
			default:
				return nil, err
			}
			if scope.Collection != store.Chats {
				return nil, errMoved
			}
			gone = append(gone, store.Latest{Path: chat, Version: d.Version, Seq: d.Seq, At: d.UpdatedAt})
		}
	}
	return gone, nil
}

// mayPull refuses a scope that holds nothing for the caller: how far a reading
// of it comes would tell of what there is. In another user's chat the rules for
// the chat decide.
func mayPull(j *rules.Judge, c access.Caller, scope store.Scope) error {
	segments := strings.Split(scope.String(), "/")
	inChat := len(segments) > 4 && segments[0] == "users" && segments[2] == "orch-chats" && segments[3] != "*"
	if inChat && segments[1] != c.UserID {
		return j.MayAt(rules.Read, nestor.Path(strings.Join(segments[:4], "/")))
	}
	return j.MayFollow(scope.Documents())
}
