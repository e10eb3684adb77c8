package access_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

const goodHash = "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"

func TestADamagedHashIsNotComputed(t *testing.T) {
	if again, err := access.CheckPHC(goodHash); err != nil || again != goodHash {
		t.Fatalf("%s, %v", again, err)
	}
	for name, change := range map[string][2]string{
		"another function":         {"argon2id", "argon2i"},
		"another version":          {"v=19", "v=16"},
		"memory without end":       {"m=65536", "m=4294967295"},
		"memory for no thread":     {"m=65536", "m=8"},
		"no passes":                {"t=3", "t=0"},
		"passes without end":       {"t=3", "t=101"},
		"no threads":               {"p=4", "p=0"},
		"too many threads":         {"p=4", "p=256"},
		"a number of other kind":   {"t=3", "t=03"},
		"more parameters":          {"p=4", "p=4,x=1"},
		"no salt":                  {"c2FsdHNhbHRzYWx0c2FsdA", ""},
		"a salt that is no text":   {"c2FsdHNhbHRzYWx0c2FsdA", "%%"},
		"a hash that is too short": {"aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g", "aGFzaA"},
		"a part too many":          {"$v=19", "$v=19$"},
	} {
		if _, err := access.CheckPHC(strings.Replace(goodHash, change[0], change[1], 1)); nestor.CodeOf(err) != nestor.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A hash that can be read has one spelling, and does not cost too much.
func FuzzPHC(f *testing.F) {
	f.Add(goodHash)
	f.Add("$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		again, err := access.CheckPHC(text)
		if err == nil && again != text {
			t.Errorf("%q is written as %q", text, again)
		}
	})
}
