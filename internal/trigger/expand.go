package trigger

import (
	"strings"

	"github.com/nestorhq/nestor"
)

// expand replaces every ${NAME} in s by env("NAME"). Its errors name the
// variable, never its value or the rest of s.
func expand(s string, env func(string) string) (string, error) {
	var out strings.Builder
	for {
		plain, rest, found := strings.Cut(s, "${")
		out.WriteString(plain)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isVariable(name) {
			return "", nestor.Errorf(nestor.CodeInvalid, "${ must be followed by the name of an environment variable and }")
		}
		value := ""
		if env != nil {
			value = env(name)
		}
		if value == "" {
			return "", nestor.Errorf(nestor.CodeInvalid, "the environment variable %s is not set", name)
		}
		out.WriteString(value)
		s = after
	}
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
