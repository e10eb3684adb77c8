package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/app"
)

// certify writes a certificate for this machine, with a name of its own, and
// makes the files look as if they changed at a time.
func certify(t *testing.T, cfg app.Config, name string, at time.Time) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	for file, text := range map[string][]byte{
		cfg.TLSCert: chain, cfg.TLSKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(chain)
	return pool
}

// over connects anew and returns the protocol and the name in the certificate.
func over(t *testing.T, url string, pool *x509.CertPool) (protocol, name string) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url+"/api/v1/chats", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, text)
	}
	return res.Proto, res.TLS.PeerCertificates[0].Subject.CommonName
}

func TestTLSSpeaksHTTP2AndFollowsTheFiles(t *testing.T) {
	dir := t.TempDir()
	cfg := app.Config{Data: t.TempDir(), TLSCert: filepath.Join(dir, "cert.pem"), TLSKey: filepath.Join(dir, "key.pem")}
	old := certify(t, cfg, "first", time.Now().Add(-time.Minute))
	s := start(t, cfg)
	if !strings.HasPrefix(s.url, "https://") {
		t.Errorf("it serves %s", s.url)
	}
	if protocol, name := over(t, s.url, old); protocol != "HTTP/2.0" || name != "first" {
		t.Errorf("%s by %s", protocol, name)
	}
	if err := os.WriteFile(cfg.TLSKey, []byte("half written"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, name := over(t, s.url, old); name != "first" {
		t.Errorf("with broken files: %s", name)
	}
	renewed := certify(t, cfg, "second", time.Now().Add(time.Minute))
	if _, name := over(t, s.url, renewed); name != "second" {
		t.Errorf("after the files changed: %s", name)
	}
}

func TestWrongTLSFilesAreRefusedAtTheStart(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.pem")
	for name, cfg := range map[string]app.Config{
		"a certificate without a key": {TLSCert: missing},
		"a key without a certificate": {TLSKey: missing},
		"files that are not there":    {TLSCert: missing, TLSKey: missing},
	} {
		cfg.Data, cfg.Addr, cfg.Token, cfg.Stdout, cfg.Stderr = t.TempDir(), "127.0.0.1:0", token, io.Discard, io.Discard
		if err := app.Run(t.Context(), cfg); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "certificate") && !strings.Contains(err.Error(), "--tls-cert") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
