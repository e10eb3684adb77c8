package natstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// Secure is a server that demands TLS and the credentials of a user.
type Secure struct {
	*Server
	// Roots is a file with the certificate of the authority that the server's is signed by.
	Roots string
	// Creds is a file with the credentials of a user, Strange of one that the server does not know.
	Creds, Strange string
}

// NewSecure chooses an address for a server with TLS and credentials. It is not started.
func NewSecure(t testing.TB) *Secure {
	t.Helper()
	s := &Secure{Server: New(t)}
	s.opts.Username, s.opts.Password = "", ""
	folder := t.TempDir()
	s.Roots = filepath.Join(folder, "roots.pem")
	s.opts.TLS, s.opts.TLSTimeout = true, 5
	s.opts.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate(t, s.Roots)}, MinVersion: tls.VersionTLS12}

	operator, account := newKey(t, nkeys.CreateOperator), newKey(t, nkeys.CreateAccount)
	claims := jwt.NewOperatorClaims(operator.public)
	encode(t, claims, operator)
	resolver := &server.MemAccResolver{}
	if err := resolver.Store(account.public, encode(t, jwt.NewAccountClaims(account.public), operator)); err != nil {
		t.Fatal(err)
	}
	s.opts.TrustedOperators, s.opts.AccountResolver = []*jwt.OperatorClaims{claims}, resolver
	s.Creds = credentials(t, filepath.Join(folder, "user.creds"), account)
	s.Strange = credentials(t, filepath.Join(folder, "strange.creds"), newKey(t, nkeys.CreateAccount))
	return s
}

// URL is where the server is.
func (s *Secure) URL() string {
	return "tls://" + (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: s.opts.Port}).String()
}

// key is a pair of keys that signs.
type key struct {
	nkeys.KeyPair
	public string
}

func newKey(t testing.TB, create func() (nkeys.KeyPair, error)) key {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return key{pair, public}
}

func encode(t testing.TB, c jwt.Claims, signer key) string {
	t.Helper()
	text, err := c.Encode(signer.KeyPair)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// credentials writes those of a new user of an account.
func credentials(t testing.TB, file string, account key) string {
	t.Helper()
	user := newKey(t, nkeys.CreateUser)
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(encode(t, jwt.NewUserClaims(user.public), account), seed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// certificate makes one for this machine that is its own authority.
func certificate(t testing.TB, file string) tls.Certificate {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: secret}
}
