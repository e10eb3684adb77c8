package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Model is one language model behind one connection. It is safe for
// concurrent use.
type Model interface {
	// Name is the model's name as the provider knows it, for example "gpt-5.2".
	Name() string
	// Generate sends one request and yields the reply's events in order. The
	// last event of a complete reply is always a [Finish]; an error ends the
	// sequence. A reply that breaks off without a Finish is an error, never a
	// short success.
	Generate(ctx context.Context, req *Request) iter.Seq2[Event, error]
}

// Request is everything a model sees.
type Request struct {
	// System is the static instruction: a prefix that providers may cache.
	System string
	// Messages is the conversation, oldest first.
	Messages []Message
	// Tools the model may call. None: the model can only answer with text.
	Tools []Tool
	// ToolChoice is "" (auto), "none", "required" or the name of one tool.
	ToolChoice string
	// MaxTokens bounds the reply. Defaults to the provider's own default.
	MaxTokens int
	// Temperature, when set, is passed on as it is.
	Temperature *float64
}

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation. The system instruction is Request.System.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn: parts in the order they were said. Once a model was
// given a message its parts do not change any more: whoever wants to say
// something else makes other parts.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is one of [Text], [Reasoning], [ToolCall], [ToolResult] and [Media].
type Part interface{ part() }

// Event is one of [Text], [Reasoning], [ToolCall], [Usage] and [Finish].
type Event interface{ event() }

// Text is said to the reader. As an event it is the next piece of a stream.
type Text struct {
	Text string `json:"text"`
}

// Reasoning is what a model thinks before it answers. As an event it is the
// next piece of a stream; the piece that closes a block carries its Signature.
// Providers that demand it get the block back unchanged in the next request.
type Reasoning struct {
	Text string `json:"text,omitempty"`
	// Signature proves to the provider that the block is its own.
	Signature string `json:"signature,omitempty"`
	// Redacted is an encrypted block: opaque, kept, sent back.
	Redacted string `json:"redacted,omitempty"`
}

// ToolCall is one complete call the model wants made.
type ToolCall struct {
	// ID links the call to its result. Never empty. In an event it is what the
	// provider gave, or one in its place.
	ID string `json:"id"`
	// ProviderID is the id that the provider gave, in a conversation that has
	// other ids: the provider gets it back.
	ProviderID string `json:"providerId,omitempty"`
	Name       string `json:"name"`
	// Arguments is the text the model sent, unchanged; it may be malformed JSON.
	Arguments string `json:"arguments"`
	// Signature is provider state that must travel back with the call (Gemini).
	Signature string `json:"signature,omitempty"`
}

// ToolResult answers the call of the same id.
type ToolResult struct {
	CallID string
	// ProviderID is that of the call.
	ProviderID string
	Name       string
	Content    string
	IsError    bool
	// Media are images and files that came with the result. Content describes
	// them, so for a model that takes none they are just left out: see
	// [MediaTaker].
	Media []Media
}

// Media is an image or a file, inline or by address.
type Media struct {
	MIMEType string
	Data     []byte
	URL      string
	// Name is a file name for providers that show one.
	Name string
	// Alt is what a model reads that is not shown this, where no other text describes it.
	Alt string
	// FileID stands for data that are to be loaded before a model is asked.
	FileID string
}

// Tool describes a tool to a model.
type Tool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema of type object.
	Parameters json.RawMessage
	// XML is for models that call tools in their text.
	XML *XMLForm
}

// Usage counts the tokens of one call. Input includes CachedInput and
// CacheWrite, Output includes Reasoning.
type Usage struct {
	Input       int64 `json:"input"`
	CachedInput int64 `json:"cachedInput,omitempty"`
	// CacheWrite is the input stored for later calls, which some providers
	// charge more for than for plain input.
	CacheWrite int64 `json:"cacheWrite,omitempty"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`
	// Estimated: the provider did not say, and Nestor counted.
	Estimated bool `json:"estimated,omitempty"`
	// Price is that of the connection that was called. Nil is the list price.
	Price *Price `json:"-"`
}

// Reason says why a reply ended.
type Reason string

// Reasons a reply may end for.
const (
	// ReasonStop: the model said what it wanted to say.
	ReasonStop Reason = "stop"
	// ReasonToolCalls: the model waits for the results of its calls.
	ReasonToolCalls Reason = "tool_calls"
	// ReasonLength: a token limit cut the reply off.
	ReasonLength Reason = "length"
	// ReasonRefusal: the model or the provider's filter declined to answer.
	ReasonRefusal Reason = "refusal"
)

// Finish ends a complete reply.
type Finish struct {
	Reason Reason `json:"reason"`
	// Detail says why a reply was refused, in the provider's words. Empty if it
	// gave no reason.
	Detail string `json:"detail,omitempty"`
	// Model is the fallback that answered. Empty: the model called.
	Model string `json:"model,omitempty"`
}

func (Text) part()       {}
func (Reasoning) part()  {}
func (ToolCall) part()   {}
func (ToolResult) part() {}
func (Media) part()      {}

func (Text) event()      {}
func (Reasoning) event() {}
func (ToolCall) event()  {}
func (Usage) event()     {}
func (Finish) event()    {}
