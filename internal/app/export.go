package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// line is a document in an export.
type line struct {
	Path      nestor.Path     `json:"path"`
	CreatedAt int64           `json:"createdAt"`
	UpdatedAt int64           `json:"updatedAt"`
	Data      json.RawMessage `json:"data"`
}

// Export writes all documents of a user as JSON lines, in an order in which
// they can be written again. Secrets are not among a user's documents.
func Export(ctx context.Context, cfg Config, user string, w io.Writer) error {
	of, err := access.Named(user)
	if err != nil {
		return err
	}
	return withStore(ctx, cfg, refuse, func(cfg Config, s store.Store) error {
		out := bufio.NewWriter(w)
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		n := 0
		var forks []nestor.Path
		err := s.Tree(ctx, of.Path(), func(d *nestor.Document) error {
			n++
			switch {
			case chatfork.ChatForks.Has(d.Path):
				return nil // it is about documents that may not be imported
			case store.Chats.Has(d.Path):
				kept, shares, err := keeping(d)
				if err != nil {
					return err
				}
				if shares {
					forks = append(forks, d.Path)
				}
				d = kept
			}
			return enc.Encode(line{d.Path, d.CreatedAt, d.UpdatedAt, d.Data})
		})
		if err == nil {
			err = exportShared(ctx, s, forks, enc)
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return nestor.Errorf(nestor.CodeNotFound, "the user %s has no documents", user)
		}
		return out.Flush()
	})
}

// keeping is a chat as it is exported. A fork keeps what it shares, since the other
// chat may be another user's, and is not found by a pointer elsewhere.
func keeping(d *nestor.Document) (kept *nestor.Document, shares bool, err error) {
	chat, err := nestor.As[nestor.Chat](d)
	if err != nil || chat.ForkedFrom == nil || chat.ForkedFrom.Source(d.Path.UserID()) == "" {
		return d, false, err
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(d.Data, &body); err != nil {
		return nil, false, err
	}
	chat.ForkedFrom.Kept, chat.ForkedFrom.KeptID, chat.ForkedFrom.KeptIn = true, "", ""
	if body["forkedFrom"], err = json.Marshal(chat.ForkedFrom); err != nil {
		return nil, false, err
	}
	copied := *d
	copied.Data, err = json.Marshal(body)
	return &copied, true, err
}

// exportShared writes the messages that forks share, as those that they keep.
func exportShared(ctx context.Context, s store.Store, forks []nestor.Path, enc *json.Encoder) error {
	for _, fork := range forks {
		var lines []line
		err := s.View(ctx, func(r store.Reader) error {
			lines = nil
			chat, err := store.Find[nestor.Chat](r, fork)
			if err != nil || chat == nil || chat.ForkedFrom.Source(fork.UserID()) == "" { // it was deleted, or came with the rest
				return err
			}
			return chatfork.EachShared(r, chat, func(m *nestor.Document) error {
				kept, err := chatfork.Kept(fork, m)
				if err != nil {
					return err
				}
				lines = append(lines, line{kept.Path, chat.CreatedAt, chat.CreatedAt, kept.Data})
				return nil
			})
		})
		if err != nil {
			return err
		}
		for _, l := range lines {
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch is how many documents an import writes at once.
const batch = 200

// Import reads what [Export] wrote and makes it a user's. Documents that exist
// already stay as they are, so an import can be repeated. It fires no triggers.
func Import(ctx context.Context, cfg Config, user string, r io.Reader) error {
	if err := nestor.CheckID(user); err != nil {
		return err
	}
	return withRules(ctx, cfg, create, store.Rules{Restores: true, Bounds: store.Unbounded}, func(cfg Config, s store.Store) error {
		dec := json.NewDecoder(r)
		read, written := 0, 0
		for {
			var lines []line
			for len(lines) < batch {
				var l line
				err := dec.Decode(&l)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return nestor.Errorf(nestor.CodeInvalid, "document %d cannot be read: %w", read+len(lines)+1, err)
				}
				if l.Path, err = ofUser(l.Path, user); err != nil {
					return nestor.Errorf(nestor.CodeInvalid, "document %d: %w", read+len(lines)+1, err)
				}
				lines = append(lines, l)
			}
			if len(lines) == 0 {
				_, err := fmt.Fprintf(cfg.Stdout, "%d documents read, %d written.\n", read, written)
				return err
			}
			n, err := write(ctx, s, lines)
			if err != nil {
				return err
			}
			read, written = read+len(lines), written+n
		}
	})
}

// ofUser is a path with another user in it.
func ofUser(p nestor.Path, user string) (nestor.Path, error) {
	p, err := nestor.ParsePath(string(p))
	if err != nil {
		return "", err
	}
	owner := p.UserID()
	if owner == "" {
		return "", nestor.Errorf(nestor.CodeInvalid, "%s is not a user's", p)
	}
	return nestor.Path("users/" + user + strings.TrimPrefix(string(p), "users/"+owner)), nil
}

// unforged takes from a chat what it does not keep itself: only a server says which
// messages of others a chat shares.
func unforged(chat map[string]any) {
	if from, ok := chat["forkedFrom"].(map[string]any); ok && (from["kept"] != true || from["keptIn"] != nil) {
		delete(chat, "forkedFrom")
	}
}

// write creates what is not there.
func write(ctx context.Context, s store.Store, lines []line) (n int, err error) {
	err = s.Update(ctx, func(tx store.Tx) error {
		n = 0
		for _, l := range lines {
			if _, err := tx.Get(l.Path); !errors.Is(err, nestor.ErrNotFound) {
				if err != nil {
					return err
				}
				continue
			}
			var body map[string]any
			dec := json.NewDecoder(strings.NewReader(string(l.Data)))
			dec.UseNumber()
			if err := dec.Decode(&body); err != nil {
				return nestor.Errorf(nestor.CodeInvalid, "%s: %w", l.Path, err)
			}
			delete(body, "userId") // the path says it
			if store.Chats.Has(l.Path) {
				unforged(body)
			}
			body["createdAt"], body["updatedAt"] = l.CreatedAt, l.UpdatedAt
			if _, err := tx.Create(l.Path, body); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}
