package trigger

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Bounds of a trigger's settings.
const (
	maxAttempts = 100
	maxBackoff  = time.Hour
	minTimeout  = 100 * time.Millisecond
	maxTimeout  = time.Hour
)

// secretPrefix marks a Standard Webhooks secret; base64 of the key follows.
const secretPrefix = "whsec_"

// problem is one thing wrong with a trigger.
type problem struct {
	field     string // such as retryPolicy.maxBackoff
	character int    // of a text field, from 0; -1 for the whole
	text      string
}

// checker collects problems. Its methods look at one setting each and leave
// alone what is not set.
type checker struct {
	problems []problem
}

func (c *checker) add(field, format string, args ...any) {
	c.problems = append(c.problems, problem{field, -1, fmt.Sprintf(format, args...)})
}

func (c *checker) fails(field string, err error) {
	if err != nil {
		c.add(field, "%s: %v", field, err)
	}
}

func (c *checker) collection(g nestor.Glob) {
	if _, err := nestor.ParseGlob(string(g)); err != nil {
		c.fails("collection", err)
		return
	}
	n := strings.Count(string(g), "/") + 1
	if n%2 == 0 && !strings.HasSuffix(string(g), "**") {
		c.add("collection", "collection: %q has %d segments and the path of a collection an odd number: it would match nothing", g, n)
	}
}

func (c *checker) events(events []nestor.ChangeType) {
	if events != nil && len(events) == 0 {
		c.add("events", "events: at least one of create, update and delete is needed")
	}
	for i, e := range events {
		if _, ok := eventNumber(e); !ok {
			c.add("events", "events: %q is not create, update or delete", e)
		} else if slices.Contains(events[:i], e) {
			c.add("events", "events: %s is repeated", e)
		}
	}
}

func (c *checker) condition(faults []fault) {
	for _, f := range faults {
		c.problems = append(c.problems, problem{"condition", f.character, "condition, " + f.String()})
	}
}

func (c *checker) timeout(d time.Duration) {
	if d != 0 && (d < minTimeout || d > maxTimeout) {
		c.add("timeout", "timeout %s is not between %s and %s", short(d), short(minTimeout), short(maxTimeout))
	}
}

func (c *checker) retry(p nestor.RetryPolicy) {
	p = p.WithDefaults()
	if p.MaxAttempts < 1 || p.MaxAttempts > maxAttempts {
		c.add("retryPolicy.maxAttempts", "retryPolicy.maxAttempts must be a whole number from 1 to %d", maxAttempts)
	}
	first, most := time.Duration(p.InitialBackoff), time.Duration(p.MaxBackoff)
	switch {
	case most < 0 || most > maxBackoff:
		c.add("retryPolicy.maxBackoff", "retryPolicy.maxBackoff %s is not between 0s and %s", short(most), short(maxBackoff))
	case first < 0 || first > most:
		c.add("retryPolicy.initialBackoff", "retryPolicy.initialBackoff %s is not between 0s and maxBackoff, %s", short(first), short(most))
	}
}

func (c *checker) headers(headers map[string]string) {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		field, lower := "headers."+name, strings.ToLower(name)
		switch value := headers[name]; {
		case seen[lower]:
			c.add(field, "header %s is repeated: upper and lower case make no difference", name)
		case !isToken(name):
			c.add(field, "%q is not the name of a header", name)
		case slices.Contains(ownHeaders, lower):
			c.add(field, "header %s is set by the delivery itself", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			c.add(field, "header %s has a control character in its value", name)
		}
		seen[lower] = true
	}
}

// isToken reports whether s can be the name of a header.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// secret must not say what the secret is.
func (c *checker) secret(s string) {
	if s == "" {
		return
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, secretPrefix))
	if !strings.HasPrefix(s, secretPrefix) || err != nil || len(key) < 24 || len(key) > 64 {
		c.add("secret", "secret must be %s and the base64 of 24 to 64 bytes", secretPrefix)
	}
}

// builtIn refuses what only a webhook can have.
func (c *checker) builtIn(t *nestor.Trigger) {
	refuse := func(field string, set bool) {
		if set {
			c.add(field, "%s is for webhooks, and the action is a built-in handler", field)
		}
	}
	refuse("headers", len(t.Headers) > 0)
	refuse("secret", t.Secret != "")
	refuse("includeBefore", t.IncludeBefore)
}

// short prints a duration without parts that are zero: 1h, not 1h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
