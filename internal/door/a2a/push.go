package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/store"
)

// Push is the wish of a client to be notified of a task, stored at
// users/{userId}/a2a-pushes/{id}. Where the notification goes, and what it is to show
// there, is sealed and lies at secrets/{userId}/a2a-pushes/{id}, which nobody reaches.
type Push struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	// TaskID is the task, and ConfigID what the client calls its wish.
	TaskID   string `json:"taskId"`
	ConfigID string `json:"configId"`
	Host     string `json:"host"`
	// Due is the moment of the task that is to be told, and Told the last that was.
	Due  string `json:"due,omitempty"`
	Told string `json:"told,omitempty"`
}

const (
	pushesName = "a2a-pushes"
	// pushesKept is how long a wish is kept after something happened to it.
	pushesKept = 30 * 24 * time.Hour
	// mostPushes is how many clients can be notified of a task.
	mostPushes = 10
	// maxPush is how long an address, a token or credentials are, in bytes.
	maxPush = 4000
)

// Pushes has a document for each wish.
var Pushes = func() *store.Collection {
	c := store.NewCollection[Push]("a2a_pushes", nil, "users/{userId}/"+pushesName+"/{id}", store.Column[string]("taskId"))
	c.ServerWrites = true
	c.Indexes = [][]string{{"taskId"}}
	return c
}()

// sealedPush is what the server keeps of a wish for itself.
type sealedPush struct {
	Sealed string `json:"sealed"`
	// By is the session or key that the wish was made with. The wish ends with it. A wish
	// without one is of an earlier version, and ends when its user is locked out.
	By *credential `json:"by,omitempty"`
}

// credential is what a caller showed, without what proves it.
type credential struct {
	Kind access.Kind `json:"kind"`
	ID   string      `json:"id,omitempty"`
}

// stands reports why a wish of a user counts no more. The error is of
// [nestor.CodeUnauthenticated] if what it was made with has ended.
func (d *Door) stands(ctx context.Context, user string, by *credential) error {
	if by == nil {
		_, err := d.Gate().Standing(ctx, user)
		return err
	}
	_, err := d.Gate().Recheck(ctx, access.Caller{UserID: user, Kind: by.Kind, ID: by.ID})
	return err
}

func pushAt(run nestor.Path, config string) (told, secret nestor.Path) {
	id := nestor.DeriveID("a2a-push", run.ID(), config)
	return nestor.Path(run.Tenant()).Child(pushesName, id), secretOf(run.UserID(), id)
}

func secretOf(user, id string) nestor.Path {
	return nestor.Path(nestor.Secrets+"/"+user).Child(pushesName, id)
}

// checkPush refuses a wish that can never be met.
func (d *Door) checkPush(c *a2a.PushConfig) error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(c.URL) > maxPush {
		return nestor.Errorf(nestor.CodeInvalid, "url is where notifications go, such as https://example.org/hook")
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !d.AllowPrivate {
		if err := netguard.Check(addr); err != nil {
			return nestor.Errorf(nestor.CodeInvalid, "notifications do not go there: %s", err)
		}
	}
	for _, value := range append([]string{c.ID, c.Token}, credentials(c)) {
		if len(value) > maxPush || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nestor.Errorf(nestor.CodeInvalid, "id, token and credentials are texts of one line, of at most %d bytes", maxPush)
		}
	}
	return nil
}

func credentials(c *a2a.PushConfig) string {
	if c.Auth == nil {
		return ""
	}
	return c.Auth.Credentials
}

// OnSetTaskPushConfig implements [a2asrv.RequestHandler].
func (h *handler) OnSetTaskPushConfig(_ context.Context, c *a2a.TaskPushConfig) (*a2a.TaskPushConfig, error) {
	p, _, err := h.run(c.TaskID)
	if err == nil {
		err = h.door.checkPush(&c.Config)
	}
	if err != nil {
		return nil, h.door.told(err)
	}
	set, err := h.setPush(p, &c.Config)
	return set, h.door.told(err)
}

// setPush keeps the wish of a client. The run is written along: so it cannot end in
// between without the wish being noticed. If it rests already, the client is notified at
// once.
func (h *handler) setPush(at nestor.Path, c *a2a.PushConfig) (*a2a.TaskPushConfig, error) {
	config := *c
	config.ID = cmp.Or(c.ID, at.ID())
	secret, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(config.URL)
	if err != nil {
		return nil, err
	}
	told, hidden := pushAt(at, config.ID)
	by := credential{h.r.Caller().Kind, h.r.Caller().ID}
	err = h.act(at, func(tx store.Tx, run *nestor.Run) error {
		others, err := pushesOf(tx, run)
		if err != nil {
			return err
		}
		push := Push{TaskID: run.ID, ConfigID: config.ID, Host: u.Host, Due: momentOf(run)}
		known := false
		for _, other := range others {
			known = known || other.ConfigID == config.ID
		}
		if !known && len(others) >= mostPushes {
			return nestor.Errorf(nestor.CodeInvalid, "a task has at most %d notifications", mostPushes)
		}
		run.Watched = true
		for _, write := range []struct {
			path nestor.Path
			body any
		}{{at, run}, {hidden, sealedPush{h.door.Key().Seal(string(hidden), string(secret)), &by}}, {told, push}} {
			if _, err := tx.Put(write.path, write.body, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	})
	return shown(at, &config), err
}

// act changes something about a run, if the caller may act in its chat.
func (h *handler) act(at nestor.Path, fn func(store.Tx, *nestor.Run) error) error {
	_, run, err := h.run(a2a.TaskID(at.ID()))
	if err != nil {
		return err
	}
	return h.r.Act(run.Of(nestor.Path("orch-chats/"+run.ChatID)), func(tx store.Tx) error {
		now, err := store.Find[nestor.Run](tx, at)
		if err != nil {
			return err
		}
		if now == nil {
			return errNoTask
		}
		return fn(tx, now)
	})
}

// pushesOf are the wishes about a run.
func pushesOf(docs store.Reader, run *nestor.Run) (all []Push, err error) {
	q := store.Query{Collection: "users/" + run.UserID + "/" + pushesName, Where: store.Where("taskId", store.Eq, run.ID)}
	err = store.Each(docs, q, func(_ nestor.Path, p *Push) { all = append(all, *p) })
	return all, err
}

// shown is a wish as clients get it back: without what it is secret.
func shown(run nestor.Path, c *a2a.PushConfig) *a2a.TaskPushConfig {
	config := a2a.PushConfig{ID: c.ID, URL: c.URL}
	if c.Auth != nil {
		config.Auth = &a2a.PushAuthInfo{Schemes: c.Auth.Schemes}
	}
	return &a2a.TaskPushConfig{TaskID: a2a.TaskID(run.ID()), Config: config}
}

// OnGetTaskPushConfig implements [a2asrv.RequestHandler].
func (h *handler) OnGetTaskPushConfig(ctx context.Context, q *a2a.GetTaskPushConfigParams) (*a2a.TaskPushConfig, error) {
	all, err := h.OnListTaskPushConfig(ctx, &a2a.ListTaskPushConfigParams{TaskID: q.TaskID})
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.Config.ID == cmp.Or(q.ConfigID, string(q.TaskID)) {
			return one, nil
		}
	}
	return nil, h.door.told(nestor.Errorf(nestor.CodeNotFound, "there is no such notification of the task"))
}

// OnListTaskPushConfig implements [a2asrv.RequestHandler].
func (h *handler) OnListTaskPushConfig(ctx context.Context, q *a2a.ListTaskPushConfigParams) ([]*a2a.TaskPushConfig, error) {
	at, run, err := h.run(q.TaskID)
	if err != nil {
		return nil, h.door.told(err)
	}
	list := []*a2a.TaskPushConfig{}
	err = h.door.store.View(ctx, func(docs store.Reader) error {
		pushes, err := pushesOf(docs, run)
		if err != nil {
			return err
		}
		for _, push := range pushes {
			config, _, err := h.door.unseal(docs, run.UserID, push.ID)
			if err != nil {
				return err
			}
			if config != nil {
				list = append(list, shown(at, config))
			}
		}
		return nil
	})
	return list, h.door.told(err)
}

// unseal reads what a client gave to be notified with, nil if it is gone, and by what right.
func (d *Door) unseal(docs store.Reader, user, id string) (*a2a.PushConfig, *credential, error) {
	at := secretOf(user, id)
	kept, err := store.Find[sealedPush](docs, at)
	if err != nil || kept == nil {
		return nil, nil, err
	}
	text, err := d.Key().Open(string(at), kept.Sealed)
	if err != nil {
		return nil, nil, err
	}
	var config a2a.PushConfig
	err = json.Unmarshal([]byte(text), &config)
	return &config, kept.By, err
}

// OnDeleteTaskPushConfig implements [a2asrv.RequestHandler].
func (h *handler) OnDeleteTaskPushConfig(_ context.Context, q *a2a.DeleteTaskPushConfigParams) error {
	at, _, err := h.run(q.TaskID)
	if err != nil {
		return h.door.told(err)
	}
	told, hidden := pushAt(at, cmp.Or(q.ConfigID, string(q.TaskID)))
	return h.door.told(h.act(at, func(tx store.Tx, _ *nestor.Run) error {
		for _, p := range []nestor.Path{told, hidden} {
			if d, err := store.FindDocument(tx, p); err != nil || d == nil {
				return err
			}
			if err := tx.Delete(p, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	}))
}
