package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
)

// ifMissing says what a command does where there is no database yet.
type ifMissing int

const (
	// refuse is for commands that look for something: in a new database there is nothing.
	refuse ifMissing = iota
	// create is for commands that can come before the first server. They say that the
	// database is new, since its folder may be a mistake.
	create
	// temporary is for commands that need no documents. They leave nothing behind.
	temporary
)

// withStore calls fn with the database of cfg.
func withStore(ctx context.Context, cfg Config, missing ifMissing, fn func(Config, store.Store) error) error {
	return withRules(ctx, cfg, missing, store.Rules{Bounds: store.Unbounded}, fn)
}

func withRules(ctx context.Context, cfg Config, missing ifMissing, rules store.Rules, fn func(Config, store.Store) error) error {
	cfg = cfg.withDefaults()
	exists, err := hasDatabase(ctx, cfg)
	switch {
	case err != nil:
		return err
	case exists:
	case missing == refuse:
		return nestor.Errorf(nestor.CodeNotFound, "there is no database of Nestor %s: name the server's with --data or --db", databasePlace(cfg))
	case missing == create:
		fmt.Fprintf(cfg.Stderr, "There was no database %s: a new one is made.\n", databasePlace(cfg))
	default:
		folder, err := os.MkdirTemp("", "nestor-")
		if err != nil {
			return nestor.Errorf(nestor.CodeUnavailable, "a temporary folder cannot be made: %w", err)
		}
		defer os.RemoveAll(folder)
		cfg.Data, cfg.DB = folder, ""
	}
	s, err := open(ctx, cfg, described(cfg), rules)
	if err != nil {
		return err
	}
	defer s.Close()
	return fn(cfg, s)
}

// hasDatabase reports whether a database is there. It makes nothing.
func hasDatabase(ctx context.Context, cfg Config) (bool, error) {
	if cfg.DB != "" {
		if err := checkDB(cfg); err != nil {
			return false, err
		}
		return postgres.Exists(ctx, cfg.DB)
	}
	_, err := os.Stat(filepath.Join(cfg.Data, databaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, nestor.Errorf(nestor.CodeInvalid, "the data folder cannot be read: %w", err)
	}
	return true, nil
}

// databasePlace tells people where a database would be, without the password of its URL.
func databasePlace(cfg Config) string {
	if cfg.DB != "" {
		return "at the URL of --db"
	}
	return "in the folder " + cfg.Data
}
