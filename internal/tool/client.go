package tool

import (
	"context"
	"regexp"

	"github.com/nestorhq/nestor"
)

// MaxClientTools is how many tools a client may bring along.
const MaxClientTools = 128

var clientName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// OfClient makes a tool of one that a client runs. The server never does.
func OfClient(c nestor.ClientTool) (*Tool, error) {
	if !clientName.MatchString(c.Name) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the name of a tool has 1 to 64 letters, digits, _ and -, which %.100q has not", c.Name)
	}
	t, err := New(Spec{Name: c.Name, Description: c.Description, Parameters: c.Parameters, Source: "the client", Client: true},
		func(context.Context, Call) (Output, error) {
			return Output{}, nestor.Errorf(nestor.CodeInternal, "the tool %s is the client's to run", c.Name)
		})
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the tool %s: %w", c.Name, err)
	}
	return t, nil
}

// CheckClients reports why a client cannot bring these tools along.
func CheckClients(tools []nestor.ClientTool) error {
	if len(tools) > MaxClientTools {
		return nestor.Errorf(nestor.CodeInvalid, "there are %d tools, more than %d", len(tools), MaxClientTools)
	}
	names := map[string]bool{}
	for _, c := range tools {
		if names[c.Name] {
			return nestor.Errorf(nestor.CodeInvalid, "there are two tools %s", c.Name)
		}
		names[c.Name] = true
		if _, err := OfClient(c); err != nil {
			return err
		}
	}
	return nil
}
