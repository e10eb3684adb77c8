package access_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

func newKey(t *testing.T) *access.Key {
	t.Helper()
	k, err := access.LoadKey("", filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestTheKeyFileIsMadeOnceAndPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	tokens := make([]string, 8)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			k, err := access.LoadKey("", path)
			if err != nil {
				t.Error(err)
				return
			}
			tokens[i] = k.MintToken(access.Grant{User: "u"})
		})
	}
	wg.Wait()
	for _, token := range tokens {
		if token != tokens[0] {
			t.Fatal("two processes that start at once have different keys")
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

func TestAKeyThatIsNoneIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a damaged file":        func() error { _, err := access.LoadKey("", path); return err }(),
		"a variable too short":  func() error { _, err := access.LoadKey("c2hvcnQ=", path); return err }(),
		"a variable not base64": func() error { _, err := access.LoadKey("%%%", path); return err }(),
	} {
		if nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATokenIsGoodForItsGrantUntilItExpires(t *testing.T) {
	k, now := newKey(t), time.Unix(1000, 0)
	grant := access.Grant{User: "u1", Asked: nestor.Askers{"u2", "u3"}, Path: "users/u1/orch-chats/c1", Expires: 1100}
	token := k.MintToken(grant)
	if got, err := k.CheckToken(token, now); err != nil || !reflect.DeepEqual(got, grant) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, bad := range map[string]string{
		"an empty token":       "",
		"a token cut short":    token[:len(token)-2],
		"another payload":      strings.Replace(token, ".", "A.", 1),
		"another key's token":  newKey(t).MintToken(grant),
		"a token without form": "nst_x",
	} {
		if _, err := k.CheckToken(bad, now); nestor.CodeOf(err) != nestor.CodeUnauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := k.CheckToken(token, time.Unix(1100, 0)); nestor.CodeOf(err) != nestor.CodeUnauthenticated {
		t.Errorf("after its time: %v", err)
	}
}

func TestASealedSecretOpensOnlyInItsPlaceWithItsKey(t *testing.T) {
	k := newKey(t)
	sealed := k.Seal("users/u1/x", "sk-very-secret")
	if strings.Contains(sealed, "secret") || sealed == k.Seal("users/u1/x", "sk-very-secret") {
		t.Errorf("sealed is %s", sealed)
	}
	if got, err := k.Open("users/u1/x", sealed); err != nil || got != "sk-very-secret" {
		t.Errorf("opened %q, %v", got, err)
	}
	for name, open := range map[string]func() (string, error){
		"another place": func() (string, error) { return k.Open("users/u2/x", sealed) },
		"another key":   func() (string, error) { return newKey(t).Open("users/u1/x", sealed) },
		"tampered":      func() (string, error) { return k.Open("users/u1/x", sealed[:len(sealed)-3]+"AAA") },
		"plain text":    func() (string, error) { return k.Open("users/u1/x", "sk-very-secret") },
	} {
		if got, err := open(); nestor.CodeOf(err) != nestor.CodeInvalid || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestAKeyDoesNotPrintItself(t *testing.T) {
	k := newKey(t)
	for _, verb := range []string{"%v", "%s", "%+v"} {
		if got := fmt.Sprintf(verb, k); got != "(hidden)" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}
