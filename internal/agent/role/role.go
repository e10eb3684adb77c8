package role

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Role is a kind of agent, as configuration describes it.
type Role struct {
	// Description tells the orchestrator what the role is for.
	Description string `json:"description"`
	// Instructions are the agent's system prompt, or a file that holds them,
	// relative to the configuration.
	Instructions     string `json:"instructions,omitempty"`
	InstructionsFile string `json:"instructionsFile,omitempty"`
	// Tools are names and globs. Defaults to what tools.json gives the role,
	// all tools without such an entry.
	Tools []string `json:"tools,omitempty"`
	// ModelConnectionID defaults to the chat's connection.
	ModelConnectionID string `json:"modelConnectionId,omitempty"`
	// MaxIterations bounds the model calls of one run. Defaults to 25.
	MaxIterations int `json:"maxIterations,omitempty"`
	// MaxTokens bounds one reply. Defaults to the provider's own bound.
	MaxTokens int `json:"maxTokens,omitempty"`
	// Budget bounds what one task of the role, and all below it, may use.
	Budget *nestor.Budget `json:"budget,omitempty"`
	// Agents are the roles that an agent of this one may create agents of.
	// Defaults to none.
	Agents []string `json:"agents,omitempty"`
	// MaxDepth is how many agents may be above one that this role creates.
	// Defaults to 3.
	MaxDepth int `json:"maxDepth,omitempty"`
	// Sequential runs the tool calls of one reply one after the other.
	Sequential bool `json:"sequential,omitempty"`
	// A2A is a remote agent that does the work, in place of a model.
	A2A *Remote `json:"a2a,omitempty"`

	builtIn bool
}

// Remote is an agent elsewhere that speaks the Agent2Agent protocol.
type Remote struct {
	// URL is that of its card.
	URL string `json:"url"`
	// Headers go with every request. They refer to environment variables, as in
	// "Bearer ${PEER_KEY}".
	Headers map[string]string `json:"headers,omitempty"`
}

// Orchestrator is what can be said about the orchestrator. It is no role: a field
// that only roles have is an error, so that nobody relies on a bound that does
// not hold.
type Orchestrator struct {
	// Instructions replace the built-in ones. They, ModelConnectionID and
	// MaxTokens are as those of a [Role].
	Instructions      string `json:"instructions,omitempty"`
	InstructionsFile  string `json:"instructionsFile,omitempty"`
	ModelConnectionID string `json:"modelConnectionId,omitempty"`
	MaxTokens         int    `json:"maxTokens,omitempty"`
	// Tools are those that it calls itself: names and globs. Of these it is offered the
	// ones that may run again after a crash and need no approval.
	Tools []string `json:"tools,omitempty"`
}

// Roles are the roles by name, and the orchestrator.
type Roles struct {
	Roles        map[string]Role `json:"roles"`
	Orchestrator Orchestrator    `json:"orchestrator"`
}

//go:embed roles.json
var builtIn []byte

//go:embed prompts
var files embed.FS

// Default are general and researcher.
func Default() *Roles {
	r, err := parseRoles("roles.json", builtIn, files.ReadFile)
	if err != nil {
		panic(err) // a test reads them
	}
	for name, role := range r.Roles {
		role.builtIn = true
		r.Roles[name] = role
	}
	return r
}

// Load reads a configuration. Its roles replace the built-in ones of the
// same name and add to them. The error says which role is wrong and why.
func Load(file string) (*Roles, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the roles cannot be read: %w", err)
	}
	own, err := parseRoles(file, data, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		return os.ReadFile(name)
	})
	if err != nil {
		return nil, err
	}
	merged := Default()
	maps.Copy(merged.Roles, own.Roles)
	if own.Orchestrator.Instructions == "" {
		own.Orchestrator.Instructions = merged.Orchestrator.Instructions
	}
	if own.Orchestrator.Tools == nil {
		own.Orchestrator.Tools = merged.Orchestrator.Tools
	}
	merged.Orchestrator = own.Orchestrator
	return merged, merged.check(file)
}

func parseRoles(file string, data []byte, read func(string) ([]byte, error)) (*Roles, error) {
	var r Roles
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s: %w", file, err)
	}
	if r.Roles == nil {
		r.Roles = map[string]Role{}
	}
	for name, role := range r.Roles {
		if err := role.complete(read); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s: role %q: %w", file, name, err)
		}
		r.Roles[name] = role
	}
	o := &r.Orchestrator
	var err error
	if o.Instructions, err = instructions(o.Instructions, o.InstructionsFile, read); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s: orchestrator: %w", file, err)
	}
	return &r, nil
}

// Add adds roles, which replace those of the same name. The error says which of
// them is wrong and why; source is where they come from.
func (r *Roles) Add(source string, own map[string]Role) error {
	for name, role := range own {
		if err := role.complete(os.ReadFile); err != nil {
			return nestor.Errorf(nestor.CodeInvalid, "%s: role %q: %w", source, name, err)
		}
		r.Roles[name] = role
	}
	return r.check(source)
}

// complete reads the instructions, which a role must have, and fills the defaults.
func (r *Role) complete(read func(string) ([]byte, error)) (err error) {
	if r.Instructions, err = instructions(r.Instructions, r.InstructionsFile, read); err != nil {
		return err
	}
	if r.A2A != nil && r.Instructions == "" {
		r.Instructions = remoteInstructions
	}
	if r.Instructions == "" {
		return nestor.Errorf(nestor.CodeInvalid, "instructions or instructionsFile is missing")
	}
	if r.MaxIterations == 0 {
		r.MaxIterations = 25
	}
	if r.MaxDepth == 0 {
		r.MaxDepth = 3
	}
	return nil
}

// remoteInstructions stand where a model would be told what to do. Nobody is: a remote
// agent has instructions of its own.
const remoteInstructions = "A remote agent does this work."

// checkRemote refuses what a remote agent cannot be told.
func (r *Role) checkRemote() error {
	if r.A2A == nil {
		return nil
	}
	// An address that begins with a variable is checked when it is known.
	if u, err := url.Parse(r.A2A.URL); !strings.HasPrefix(r.A2A.URL, "${") && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nestor.Errorf(nestor.CodeInvalid, "a2a: url is the address of an agent card, such as https://example.org/.well-known/agent-card.json")
	}
	if r.Instructions != remoteInstructions || r.Tools != nil || r.ModelConnectionID != "" || r.MaxTokens != 0 || r.Agents != nil || r.Sequential {
		return nestor.Errorf(nestor.CodeInvalid, "a2a: a remote agent has instructions, tools, agents and a model of its own")
	}
	return nil
}

// instructions are the text, or what the file holds.
func instructions(text, file string, read func(string) ([]byte, error)) (string, error) {
	if file == "" {
		return text, nil
	}
	if text != "" {
		return "", nestor.Errorf(nestor.CodeInvalid, "give instructions or instructionsFile, not both")
	}
	data, err := read(file)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "instructionsFile cannot be read: %w", err)
	}
	return string(bytes.TrimSpace(data)), nil
}

// System is what an agent of the role is told first: its instructions, those of its chat, and
// what day it is.
func (r *Role) System(chat *nestor.Chat, now time.Time, more ...string) string {
	parts := append([]string{r.Instructions}, more...)
	if chat.SystemPrompt != "" {
		parts = append(parts, chat.SystemPrompt)
	}
	parts = append(parts, now.UTC().Format("Today is Monday, 2 January 2006.")+" Write in the language of the task, unless it says otherwise.")
	return strings.Join(parts, "\n\n")
}

var roleName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

func (r *Roles) check(file string) error {
	if r.Orchestrator.MaxTokens < 0 {
		return nestor.Errorf(nestor.CodeInvalid, "%s: orchestrator: maxTokens is not negative", file)
	}
	for name, role := range r.Roles {
		wrong := func(format string, args ...any) error {
			return nestor.Errorf(nestor.CodeInvalid, "%s: role %q: "+format, append([]any{file, name}, args...)...)
		}
		switch {
		case !roleName.MatchString(name):
			return wrong("a name is made of a-z, 0-9, _ and -, at most 40 of them, a letter first")
		case role.Description == "":
			return wrong("description is missing: the orchestrator chooses by it")
		case role.MaxIterations < 0 || role.MaxTokens < 0 || role.MaxDepth < 0:
			return wrong("limits are not negative")
		case role.MaxDepth > nestor.MaxAgentDepth:
			return wrong("maxDepth is at most %d", nestor.MaxAgentDepth)
		}
		if err := cmp.Or(role.Budget.Check(), role.checkRemote()); err != nil {
			return wrong("%w", err)
		}
		for _, other := range role.Agents {
			if _, ok := r.Roles[other]; !ok {
				return wrong("it may create agents of %q, which is no role; there are: %v", other, r.Names())
			}
		}
	}
	return nil
}

// RestrictTools applies the entries for roles in the tools' configuration: for a
// built-in role they, or the default entry, take the place of its own tools. An
// entry that cannot be applied is an error: nobody would notice that a role has
// tools which it should not have.
func (r *Roles) RestrictTools(entries []string, byDefault bool) error {
	for _, name := range entries {
		switch role, ok := r.Roles[name]; {
		case !ok:
			return nestor.Errorf(nestor.CodeInvalid, "roles: there is no role %q; there are: %v", name, r.Names())
		case role.Tools != nil && !role.builtIn:
			return nestor.Errorf(nestor.CodeInvalid, "roles: the tools of role %q are given with the role, too: say it in one place", name)
		}
	}
	for name, role := range r.Roles {
		if role.builtIn && (byDefault || slices.Contains(entries, name)) {
			role.Tools = nil
			r.Roles[name] = role
		}
	}
	return nil
}

// Allowed reports whether a parent's role may create an agent of another.
func (r Role) Allowed(name string, depth int) error {
	switch {
	case !slices.Contains(r.Agents, name):
		return nestor.Errorf(nestor.CodeForbidden, "this agent may create agents of: %s", strings.Join(r.Agents, ", "))
	case depth >= r.MaxDepth:
		return nestor.Errorf(nestor.CodeForbidden, "agents may not be nested deeper than %d", r.MaxDepth)
	}
	return nil
}

// Remote are the names of the roles whose work a remote agent does.
func (r *Roles) Remote() (names []string) {
	if r == nil {
		return nil
	}
	for _, name := range r.Names() {
		if r.Roles[name].A2A != nil {
			names = append(names, name)
		}
	}
	return names
}

// Names are the names of the roles, sorted.
func (r *Roles) Names() []string { return slices.Sorted(maps.Keys(r.Roles)) }
