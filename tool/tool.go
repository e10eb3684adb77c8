// Package tool makes tools of Go functions, for agents to call.
//
//	type In struct {
//		City string `json:"city" jsonschema:"a city, in English"`
//	}
//
//	weather := tool.New("weather", tool.Options{Description: "The weather in a city now.", Effect: tool.Pure},
//		func(ctx context.Context, in In) (string, error) { return lookUp(ctx, in.City) })
//
// A tool is given to a server by its Config, or by a module.
package tool

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// Tool is something that agents can call. It does not change after it is made.
type Tool = tool.Tool

// Effect says what a tool does to the world, and so what becomes of a call that a
// crash interrupted.
type Effect = tool.Effect

// The effects.
const (
	// Pure: nothing changes; it is run as often as needed.
	Pure = tool.Pure
	// Idempotent: running it again with the same idempotency key changes nothing
	// more.
	Idempotent = tool.Idempotent
	// Once: every run counts, so a call that was interrupted is never run again
	// without asking a person.
	Once = tool.Once
)

// Options describe a tool. The zero value is usable.
type Options struct {
	// Description tells the model what the tool is for.
	Description string
	// Effect defaults to Once, the careful choice.
	Effect Effect
	// NeedsApproval makes every call wait for a person.
	NeedsApproval bool
	// Timeout bounds one run. Defaults to 30 seconds.
	Timeout time.Duration
	// OutputLimit is the number of bytes of output kept. Defaults to 64 KiB.
	OutputLimit int
	// XML says how models write a call that call tools in their text. Defaults to an
	// element of the tool's name.
	XML *XMLForm
}

// XMLForm is a tool as an element: its tag, and where each parameter is written.
type XMLForm = llm.XMLForm

// XMLPlace is where a parameter is written.
type XMLPlace = llm.XMLPlace

// The places of a parameter.
const (
	XMLAttribute = llm.XMLAttribute
	XMLElement   = llm.XMLElement
	// XMLText is the text of the element beside its child elements.
	XMLText = llm.XMLText
	// XMLRoot is all between the element's tags, as it is written.
	XMLRoot = llm.XMLRoot
)

// New makes a tool of a function. The schema of its arguments is derived from
// In, a struct: names from json tags, descriptions from jsonschema tags,
// optional where the json tag says omitempty or omitzero. Arguments that do not
// fit never reach the function. An output that is not a string becomes JSON;
// the model is told the text of an error.
//
// New panics if no schema can be derived from In, or the XML form does not fit it:
// that is a defect of the program.
func New[In, Out any](name string, o Options, run func(context.Context, In) (Out, error)) *Tool {
	spec := tool.Spec{
		Name: name, Description: o.Description, Effect: o.Effect, NeedsApproval: o.NeedsApproval,
		Timeout: o.Timeout, OutputLimit: o.OutputLimit, XML: o.XML, Source: "the program that runs the server",
	}
	return tool.Func(spec, func(ctx context.Context, call tool.Call, in In) (Out, error) {
		return run(context.WithValue(ctx, callKey{}, Call{
			ID: call.ID, IdempotencyKey: call.IdempotencyKey, UserID: call.UserID, ChatID: call.ChatID,
			SubAgentID: call.SubAgentID, AskedBy: call.AskedBy,
		}), in)
	})
}

// Output is a result with images and files: a function whose Out is an Output returns
// them. Its text must describe each of them, since it is all that models get which
// do not see them.
type Output = tool.Output

// NewMedia is an image or a file for an [Output]. It reports false for bytes that no
// provider takes: models are then told the text alone.
func NewMedia(mimeType, name string, data []byte) (nestor.Media, bool) {
	return tool.NewMedia(mimeType, name, "", data)
}

// Call says where and for whom a tool is called.
type Call struct {
	ID string
	// IdempotencyKey is the same for every attempt at a call, and different for
	// every other call.
	IdempotencyKey             string
	UserID, ChatID, SubAgentID string
	// AskedBy are those for whom the call is made. A tool does for them only what
	// each of them may do.
	AskedBy nestor.Askers
}

type callKey struct{}

// CallOf is the call for which a tool's function runs.
func CallOf(ctx context.Context) Call {
	call, _ := ctx.Value(callKey{}).(Call)
	return call
}
