package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/usersecret"
)

// NewUser is a user to be added.
type NewUser = access.NewUser

// AddUser makes a user who can log in with a password.
func AddUser(ctx context.Context, cfg Config, u NewUser, password string) error {
	ctx = access.As(ctx, access.CommandLine)
	return withGate(ctx, cfg, create, func(cfg Config, gate *access.Gate, _ store.Store) error {
		made, err := gate.AddUser(ctx, u, password)
		if err != nil {
			return err
		}
		kind := "User"
		if made.Admin {
			kind = "Admin"
		}
		_, err = fmt.Fprintf(cfg.Stdout, "%s %s is there and can log in.\n", kind, made.ID)
		return err
	})
}

// ListUsers prints the users.
func ListUsers(ctx context.Context, cfg Config) error {
	return withGate(ctx, cfg, refuse, func(cfg Config, gate *access.Gate, _ store.Store) error {
		w := tabwriter.NewWriter(cfg.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tEMAIL\tADMIN\tDISABLED\tSINCE")
		for cursor := ""; ; {
			users, next, err := gate.Users(ctx, store.MaxLimit, cursor)
			if err != nil {
				return err
			}
			for _, u := range users {
				fmt.Fprintf(w, "%s\t%s\t%s\t%t\t%t\t%s\n", u.ID, u.Name, u.Email, u.Admin, u.Disabled, date(u.CreatedAt))
			}
			if cursor = next; cursor == "" {
				return w.Flush()
			}
		}
	})
}

// RemoveUser deletes a user with all that is theirs. Servers that run lock them
// out within a second.
func RemoveUser(ctx context.Context, cfg Config, id string) error {
	ctx = access.As(ctx, access.CommandLine)
	user, err := access.Named(id)
	if err != nil {
		return err
	}
	on, err := access.AsOperator().OnUser(user)
	if err != nil {
		return err
	}
	return withGate(ctx, cfg, refuse, func(cfg Config, gate *access.Gate, s store.Store) error {
		if err := s.View(ctx, func(r store.Reader) error { return account.CanLeave(r, id) }); err != nil {
			return err
		}
		if err := gate.SetDisabled(ctx, on, true); err != nil {
			return err
		}
		if err := account.DeleteChats(ctx, s, id, func(nestor.Path) error { return nil }); err != nil {
			return err
		}
		err := gate.RemoveUser(ctx, on, func(tx store.Tx) error {
			if err := account.Leave(tx, id); err != nil {
				return err
			}
			if err := httpapi.ForgetAnswers(tx, id); err != nil {
				return err
			}
			if err := usersecret.Forget(tx, id); err != nil {
				return err
			}
			return connection.Forget(tx, id)
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cfg.Stdout, "User %s is gone, with all that was theirs.\n", id)
		return err
	})
}

// NewKey is an API key to be made.
type NewKey struct {
	// User it is for. Defaults to the person who runs the program.
	User string
	Name string
	// Scopes, separated by commas: read, write, admin, and globs over paths.
	Scopes string
	// Expires is how long the key is good for, 0 for ever.
	Expires time.Duration
}

// CreateKey makes an API key and prints it, once.
func CreateKey(ctx context.Context, cfg Config, k NewKey) error {
	ctx = access.As(ctx, access.CommandLine)
	key := access.APIKey{Name: k.Name, Scopes: strings.Split(k.Scopes, ",")}
	if k.Expires > 0 {
		key.ExpiresAt = nestor.Millis(time.Now().Add(k.Expires))
	}
	user, err := access.Named(k.User)
	if err != nil {
		return err
	}
	on, err := access.AsOperator().OnUser(user)
	if err != nil {
		return err
	}
	return withGate(ctx, cfg, create, func(cfg Config, gate *access.Gate, _ store.Store) error {
		made, secret, err := gate.CreateAPIKey(ctx, on, key)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cfg.Stdout, "%s\n\nThis is the key %s (%s). It is not shown again.\nUse it as: Authorization: Bearer KEY\n",
			secret, made.ID, made.Name)
		return err
	})
}

// ListKeys prints the API keys of a user.
func ListKeys(ctx context.Context, cfg Config, of string) error {
	user, err := access.Named(of)
	if err != nil {
		return err
	}
	return withGate(ctx, cfg, refuse, func(cfg Config, gate *access.Gate, _ store.Store) error {
		keys, err := gate.APIKeys(ctx, user)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cfg.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tNAME\tSCOPES\tENDS WITH\tEXPIRES\tLAST USED")
		for _, k := range keys {
			fmt.Fprintf(w, "%s\t%s\t%s\t…%s\t%s\t%s\n", k.ID, k.Name, strings.Join(k.Scopes, ","), k.Hint, date(k.ExpiresAt), date(k.LastUsedAt))
		}
		return w.Flush()
	})
}

// RevokeKey ends an API key. Servers notice within a second.
func RevokeKey(ctx context.Context, cfg Config, of, id string) error {
	ctx = access.As(ctx, access.CommandLine)
	user, err := access.Named(of)
	if err != nil {
		return err
	}
	on, err := access.AsOperator().OnKey(user, id)
	if err != nil {
		return err
	}
	return withGate(ctx, cfg, refuse, func(cfg Config, gate *access.Gate, _ store.Store) error {
		if err := gate.RevokeAPIKey(ctx, on); err != nil {
			return err
		}
		_, err := fmt.Fprintf(cfg.Stdout, "Key %s does not work any more.\n", id)
		return err
	})
}

func date(ms int64) string {
	if ms == 0 {
		return "never"
	}
	return time.UnixMilli(ms).UTC().Format(time.DateTime)
}

func withGate(ctx context.Context, cfg Config, missing ifMissing, fn func(Config, *access.Gate, store.Store) error) error {
	return withStore(ctx, cfg, missing, func(cfg Config, s store.Store) error {
		key, err := loadKey(cfg)
		if err != nil {
			return err
		}
		log := slog.New(slog.NewTextHandler(cfg.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})) // commands say themselves what they did
		return fn(cfg, access.New(access.Options{Store: s, Key: key, Logger: log}), s)
	})
}
