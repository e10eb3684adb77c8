package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nestorhq/nestor"
)

// serving is what a running server writes into its data folder, for commands
// that want to know where it is. It holds no secret.
type serving struct {
	// URL is where a browser reaches the server: at its public address, or else from this
	// machine.
	URL string `json:"url"`
	// Postgres says that it does not use the database in the folder.
	Postgres bool `json:"postgres,omitempty"`
	PID      int  `json:"pid"`
}

// servingFiles is how the names of the files begin. Several servers can have one
// folder if their database is elsewhere.
const servingFiles = "serving-"

// announce writes down that a server runs. The file is locked while the process
// lives: one without a lock was left behind by a server that was killed. Call
// withdraw when the server stops.
func announce(cfg Config, at string) (withdraw func(), err error) {
	base, err := reachable(cfg, at)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(serving{URL: cmp.Or(cfg.PublicURL, base.String()), Postgres: cfg.DB != "", PID: os.Getpid()})
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(cfg.Data, "."+servingFiles) // with mode 0600
	if err != nil {
		return nil, err
	}
	name := filepath.Join(cfg.Data, fmt.Sprintf("%s%d-%s.json", servingFiles, os.Getpid(), base.Port()))
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()), f.Close())
	}
	return func() {
		_ = os.Remove(name) // if it stays, it is no longer locked
		_ = f.Close()
	}, nil
}

// reachable is the address at which a browser on this machine reaches the
// server at a URL. A server that listens everywhere is reached at 127.0.0.1.
// Under TLS it is reached by one of its names, which its certificate is for.
func reachable(cfg Config, at string) (*url.URL, error) {
	base, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	if base.Scheme == "https" && len(cfg.Hosts) > 0 {
		if base.Host = cfg.Hosts[0]; base.Port() == "" {
			listening, err := url.Parse(at)
			if err != nil {
				return nil, err
			}
			base.Host = net.JoinHostPort(cfg.Hosts[0], listening.Port())
		}
		return base, nil
	}
	if ip := net.ParseIP(base.Hostname()); ip != nil && ip.IsUnspecified() {
		base.Host = net.JoinHostPort("127.0.0.1", base.Port())
	}
	return base, nil
}

// findServing is the server that runs on the data folder; of several the one
// that started last.
func findServing(cfg Config) (*serving, error) {
	entries, err := os.ReadDir(cfg.Data)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the data folder cannot be read: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), servingFiles) })
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return started(b) - started(a) })
	for _, e := range entries {
		if s := readServing(filepath.Join(cfg.Data, e.Name())); s != nil {
			return s, nil
		}
	}
	advice := ""
	if cfg.DB != "" {
		advice = ", or say where it is with --url"
	}
	return nil, nestor.Errorf(nestor.CodeNotFound, "no server runs on the data folder %s: start one with `nestor serve`, name its folder with --data%s", cfg.Data, advice)
}

func started(e os.DirEntry) int {
	info, err := e.Info()
	if err != nil {
		return 0
	}
	return int(info.ModTime().Unix())
}

// readServing reads what a server wrote, nil if the server does not run any
// more. Then the file is removed.
func readServing(name string) *serving {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err == nil {
		_ = os.Remove(name) // another command may have been faster
		return nil
	}
	var s serving
	if err := json.NewDecoder(f).Decode(&s); err != nil {
		return nil
	}
	return &s
}
