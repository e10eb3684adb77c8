package openapi

import (
	"net/http"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"
)

// Operation describes a route. Tests send its example and compare the handler's
// answer with the schema.
type Operation struct {
	// ID is the name of the call in generated clients, Summary says what it does, and
	// Description what else a reader needs to know.
	ID, Summary, Description string
	// Tag is the part of the API that it belongs to.
	Tag Tag
	// Names is an example of what the path names, if the usual one does not fit.
	Names string
	// Reads says that the call changes nothing, though its method suggests it.
	Reads bool
	// Query are the parameters in the URL beside those in the path.
	Query []Parameter
	// IfMatch and IfNoneMatch say that the call obeys these headers, and
	// Repeatable that it takes an Idempotency-Key.
	IfMatch, IfNoneMatch, Repeatable bool
	// Body is the schema of the request, nil for none; BodyOptional if it may
	// be left out. The example has every field.
	Body         *jsonschema.Schema
	BodyOptional bool
	Example      string
	// Upload: a file of this many bytes at most may come instead of JSON.
	Upload int64
	// File: the bytes of a file are the answer, or the part of them that the header Range
	// asks for.
	File bool
	// Answers are the schemas by status, nil for no content.
	Answers Answers
	// Fails are the statuses of failures beside those that [Route.failures] finds
	// in the rest.
	Fails []int
	// Reasons are failures that details.reason tells from others.
	Reasons []Reason
	// Stream says that server-sent events are the answer, and Events are their
	// schemas by name, for a stream that resumes by Last-Event-ID. AllKinds: the field
	// document of events has documents of every kind.
	Stream   bool
	Events   map[string]*jsonschema.Schema
	AllKinds bool
}

// Tag is a part of the API, as its description has it. Operations of the same tag stand
// together in pages and generated code.
type Tag struct{ Name, Description string }

// Reason is a failure that a program can tell from others of the same status.
type Reason struct {
	Status int
	// Reason is a word such as NO_ACTIVE_OUTCOME, if the answer has one, and When says
	// when it happens.
	Reason, When string
}

// Answers are the schemas of what a call that succeeds answers with, by status.
type Answers = map[int]*jsonschema.Schema

// Gives is for a call that answers with what the schema says.
func Gives(s *jsonschema.Schema) Answers { return Answers{http.StatusOK: s} }

// GivesNothing is for a call whose success is all that there is to tell.
func GivesNothing() Answers { return Answers{http.StatusNoContent: nil} }

// Creates is for a call that makes something new.
func Creates(name string) Answers { return Answers{http.StatusCreated: Ref(name)} }

// CreatesOrFinds is for a call that meets what is there already when it is
// repeated.
func CreatesOrFinds(name string) Answers {
	return Answers{http.StatusCreated: Ref(name), http.StatusOK: Ref(name)}
}

// Parameter is a part of the URL's query.
type Parameter struct {
	Name, Description string
	Schema            *jsonschema.Schema
	Example           any // of the schema's type, nil for none
	// Required parameters must be there.
	Required bool
	// Repeated parameters may be given several times.
	Repeated bool
	// Family: there are also parameters whose names begin with this one and a dot.
	Family bool
}

// PathParameter describes a part of paths that varies.
type PathParameter struct{ Description, Example string }

// Route is a call of the API.
type Route struct {
	// Pattern is a method and a path, as [http.ServeMux] has them.
	Pattern string
	// Open: the caller need not show who they are.
	Open bool
	// Judged: rules decide about each document that it is about.
	Judged bool
	Operation
}

var placeholders = regexp.MustCompile(`\{(\w+)\}`)

// Placeholders are the names of the parts of a path that stand for one id each.
func Placeholders(path string) (names []string) {
	for _, m := range placeholders.FindAllStringSubmatch(path, -1) {
		names = append(names, m[1])
	}
	return names
}
