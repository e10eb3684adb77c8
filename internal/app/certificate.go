package app

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// certificate is the server's certificate under TLS. It follows its files: a
// renewed certificate is shown to the next connection, without a restart.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu    sync.Mutex
	pair  *tls.Certificate
	stamp [2]time.Time // when the files changed, as far as they were read
}

// loadCertificate reads the files that cfg names, nil for none.
func loadCertificate(cfg Config, log *slog.Logger) (*certificate, error) {
	if cfg.TLSCert == "" && cfg.TLSKey == "" {
		return nil, nil
	}
	if cfg.TLSCert == "" || cfg.TLSKey == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "--tls-cert and --tls-key belong together: give both")
	}
	c := &certificate{certFile: cfg.TLSCert, keyFile: cfg.TLSKey, log: log}
	if err := c.load(c.changed()); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the certificate cannot be used: %w", err)
	}
	return c, nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get returns the certificate as its files have it. While they cannot be used,
// for example because only one of them is new yet, the certificate before
// stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stamp := c.changed(); stamp != c.stamp {
		if err := c.load(stamp); err != nil {
			c.log.Warn("the new certificate cannot be used; the old one stays", "error", err)
		}
	}
	return c.pair, nil
}

// load reads the files. It is not called again until they change again.
func (c *certificate) load(stamp [2]time.Time) error {
	c.stamp = stamp
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.pair = &pair
	return nil
}

func (c *certificate) changed() (stamp [2]time.Time) {
	for i, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			stamp[i] = info.ModTime()
		}
	}
	return stamp
}
