package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool/xmlcall"
)

// Effect says what a tool does to the world, and so what may be done with a
// call that a crash interrupted.
type Effect string

const (
	// Pure: nothing changes; run it as often as you like.
	Pure Effect = "pure"
	// Idempotent: running it again with the same idempotency key changes
	// nothing more.
	Idempotent Effect = "idempotent"
	// Once: every run counts, so an interrupted call is never run again
	// without asking a person.
	Once Effect = "once"
)

// Valid reports whether e is one of the three effects.
func (e Effect) Valid() bool { return e == Pure || e == Idempotent || e == Once }

// Spec describes a tool. The zero value of every field but Name is useful.
type Spec struct {
	// Name is the tool's own name, in any characters. What a model sees is
	// derived from it by [Registry].
	Name string
	// Aliases are other names by which patterns select the tool, such as the path of an
	// operation. Defaults to none.
	Aliases []string
	// Description tells the model what the tool is for. Defaults to a sentence
	// with the name.
	Description string
	// Parameters is a JSON Schema of type object. Defaults to one without
	// properties; [Func] derives it from its input type.
	Parameters json.RawMessage
	// Effect defaults to Once, the careful choice.
	Effect Effect
	// Timeout bounds one run. Defaults to 30 seconds.
	Timeout time.Duration
	// OutputLimit is the number of bytes of output kept. Defaults to 64 KiB.
	OutputLimit int
	// Source says where the tool comes from, for people: a file's entry, an MCP
	// server. Defaults to the program itself.
	Source string
	// Local tools wait for nothing outside of the process.
	Local bool
	// Needs says what to do before the tool can work, such as which variable to set.
	// Until then it is shown to people, and not offered to models. Defaults to nothing.
	Needs string
	// Chats begins the ids of the chats in which agents have a use for it. Defaults to all.
	Chats string
	// ReadsBack: agents have a use for it once something may have left their conversation.
	ReadsBack bool
	// NeedsApproval makes every call wait for a person.
	NeedsApproval bool
	// Client: it is run by the client of the chat, which gives the result of a call.
	Client bool
	// XML says how models write a call that call tools in their text. Defaults to an
	// element of the tool's name.
	XML *llm.XMLForm
}

// DefaultTimeout bounds a run if its tool does not say otherwise.
const DefaultTimeout = 30 * time.Second

const defaultOutputLimit = 64 << 10

// CheckXML reports why the XML form of a tool does not fit it.
func CheckXML(spec *Spec) error {
	form := *spec.XML
	if form.Tag == "" {
		form.Tag = "offered" // under a name that is always good for an element
	}
	return xmlcall.Check(llm.Tool{Name: spec.Name, Parameters: spec.Parameters, XML: &form})
}

// Tool is something a model can call. It does not change after it is made and
// is safe for concurrent use. Make one with [New] or [Func].
type Tool struct {
	// Spec has its defaults filled in.
	Spec
	run    Runner
	schema *schema
}

// As returns t under another name. Patterns for the name that it had still select it.
func (t *Tool) As(name string, aliases ...string) *Tool {
	c := *t
	c.Name, c.Aliases = name, slices.Concat([]string{t.Name, CleanName(t.Name)}, t.Aliases, aliases)
	return &c
}

// LeftOut is a tool that cannot be offered.
type LeftOut struct{ Name, Source, Reason string }

func (l LeftOut) String() string {
	return fmt.Sprintf("%s of %s cannot be offered as a tool: %s", l.Name, l.Source, l.Reason)
}

// Runner carries out one call whose arguments match the tool's schema. An
// error is told to the model, so its text must be fit for it. Runner must
// return soon after ctx ends.
type Runner func(ctx context.Context, call Call) (Output, error)

// Text makes a runner of a function whose output is text alone.
func Text(run func(ctx context.Context, call Call) (string, error)) Runner {
	return func(ctx context.Context, call Call) (Output, error) {
		text, err := run(ctx, call)
		return Output{Text: text}, err
	}
}

// Call is one request to run a tool.
type Call struct {
	Scope
	// ID is the id the model gave the call.
	ID string
	// Name is the name the tool was offered under.
	Name string
	// Arguments is JSON, as the text the model sent.
	Arguments string
	// IdempotencyKey is the same for every attempt at this call and different
	// for every other call.
	IdempotencyKey string
	// Effect is the called tool's, after configuration. [Execute] fills it in.
	Effect Effect
}

// Scope says where and on whose behalf a call is made. Tools that read stored
// data must not look beyond it.
type Scope struct {
	// UserID is whose chat the call is made in. That the chat is theirs gives
	// the call no rights of theirs: see AskedBy.
	UserID     string
	ChatID     string // "" for a call outside of chats
	SubAgentID string
	// AskedBy are those for whom it is made. A tool may do for them what each of
	// them may do, and nothing else. There is at least one.
	AskedBy nestor.Askers
	// Run is what the call is part of, "" for nothing. A tool touches only documents within
	// the reach of the run.
	Run nestor.Path
}

// New makes a tool. It fails if the effect or the schema is invalid.
func New(spec Spec, run Runner) (*Tool, error) {
	if spec.Effect == "" {
		spec.Effect = Once
	}
	if !spec.Effect.Valid() {
		return nil, nestor.Errorf(nestor.CodeInvalid, "effect %q is not pure, idempotent or once", spec.Effect)
	}
	if spec.Source == "" {
		spec.Source = "built in"
	}
	if spec.Description == "" {
		spec.Description = "Runs the tool " + spec.Name + "."
	}
	if spec.Timeout <= 0 {
		spec.Timeout = DefaultTimeout
	}
	if spec.OutputLimit <= 0 {
		spec.OutputLimit = defaultOutputLimit
	}
	if len(spec.Description) > maxDescription {
		return nil, tooLarge("the description has %d bytes, more than %d", len(spec.Description), maxDescription)
	}
	parameters, err := normalizeParameters(spec.Parameters)
	if err != nil {
		return nil, err
	}
	spec.Parameters = parameters
	schema, err := compileSchema(parameters)
	if err != nil {
		return nil, err
	}
	if spec.XML != nil {
		if err := CheckXML(&spec); err != nil {
			return nil, err
		}
	}
	return &Tool{Spec: spec, run: run, schema: schema}, nil
}
