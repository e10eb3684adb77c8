package store

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// Collection describes one kind of document. The built-in kinds are flat
// collections with a table each; everything else shares [UserDocuments].
type Collection struct {
	// Name is the flat name and the table's name.
	Name string
	// Parent is the kind of document this one lies below, nil at the top.
	Parent *Collection
	// Keys are the fields that come from the path, in order, without id.
	Keys []Key
	// Fields are the body's fields with a generated column of their own.
	Fields []Field
	// Unique lists fields whose values, taken together, no two documents below the
	// same parent share, and Indexes those that queries sort or filter by. Copies of
	// clients have an index for each that is one text of at most 2048 characters.
	Unique, Indexes [][]string
	// Shapes are the fingerprints of the RxDB schemas that the collection has had, the
	// oldest first: how many there are before the last is the version that clients are
	// told. RxDB clients get a schema of a collection that has some. A program does not
	// start if the last is not that of the present schema, and says what to add.
	Shapes []string
	// ServerWrites: routes and handlers alone create and change its documents,
	// whatever the access rules allow. Rules decide about reads and deletes.
	ServerWrites bool
	// ServerDeletes: nobody outside deletes its documents, whatever the rules allow. They go
	// with what they lie below.
	ServerDeletes bool
	// Unfollowed: its documents are what the server notes for itself, and nobody follows
	// them. The log has an entry of each write, so that positions have no gaps, and none
	// of their content, so that rewriting and deleting them leaves nothing behind.
	Unfollowed bool
	// Check, if set, refuses a document that does not fit others, whoever writes it
	// and however. Before is what it replaces, nil if it is new.
	Check func(r Reader, before, after *nestor.Document) error
	// BeforeWrite, if set, is called before a document of whatever kind is written, in
	// the same transaction, with its new fields, which it may complete. It is not
	// called for documents that are brought back ([Rules.Restores]).
	BeforeWrite func(s *Session, p nestor.Path, before *nestor.Document, fields map[string]any) error
	// BeforeDelete, if set, is called before documents of whatever kind are deleted,
	// in the same transaction, with all of them, deepest first. It returns others that
	// go as well; nothing lies below these.
	BeforeDelete func(s *Session, doomed []*nestor.Document) (also []*nestor.Document, err error)
	// Borrows says which values may be stored in another collection, all of them in the same.
	Borrows []*Borrowing
	// InRun: its documents have the field runId, which the store sets; see [Runs].
	InRun bool
	// Overhead is by how many bytes a body may exceed the limit that others have.
	Overhead int
	// Stands names a field with how many bytes lie elsewhere for a document, and count as
	// its own; see [Catalogue.Weight].
	Stands string
	// ScopeKeys is how many of the Keys a [Scope] names at least.
	ScopeKeys int

	segments []string // the literal segments of the path, one per key and id
	prefix   string
	schema   *schema
}

// Key is a path id that documents carry as a field.
type Key struct {
	Field  string // userId
	Column string // user_id
}

// Field is a body field that the database can index or constrain.
type Field struct {
	Name   string   // triggerMessageId
	Column string   // trigger_message_id
	Enum   []string // the only values allowed, if any
	// Length bounds the characters of a text, and Range a number.
	Length, Range *Bounds
	// Unlike names a field, above this one in the list, that must have another
	// value.
	Unlike string
	// Default is the value in a new document that does not have the field.
	Default string
}

// Bounds are the least and the greatest value that is allowed.
type Bounds struct{ Least, Most float64 }

// The kinds of documents that agents work with. Budgets, accounts and access
// rules know them, too, so they are here. Their tables stand in the engines'
// migrations; a test keeps the two in step.
var (
	Chats    = NewCollection[nestor.Chat]("chats", nil, "users/{userId}/orch-chats/{id}", Column[string]("projectId"), Column[string]("accountId"))
	Messages = inRun(NewCollection[nestor.Message]("messages", Chats, "users/{userId}/orch-chats/{chatId}/messages/{id}",
		Column("role", nestor.RoleSystem, nestor.RoleUser, nestor.RoleAssistant, nestor.RoleTool),
		Column("type", nestor.MessageText, nestor.MessageToolCall, nestor.MessageToolResult, nestor.MessageStatus,
			nestor.MessageSummary, nestor.MessageError),
		Column[string]("taskId")))
	Tasks = indexed(ofAUser(inRun(NewCollection[nestor.Task]("tasks", Chats, "users/{userId}/orch-chats/{chatId}/tasks/{id}",
		Column("type", nestor.TaskAgent, nestor.TaskTool),
		Column("status", nestor.TaskPending, nestor.TaskRunning, nestor.TaskWaiting, nestor.TaskSuccess,
			nestor.TaskFailed, nestor.TaskCancelled).OrElse(string(nestor.TaskPending)),
		Column[string]("subAgentId"), Column[string]("triggerMessageId").Chars(0, nestor.MaxIDLength)))), "triggerMessageId")
	SubAgents = unique(inRun(NewCollection[nestor.SubAgent]("sub_agents", Chats, "users/{userId}/orch-chats/{chatId}/sub-agents/{id}",
		Column[string]("taskId").Chars(0, nestor.MaxIDLength),
		Column("status", nestor.SubAgentActive, nestor.SubAgentWaiting, nestor.SubAgentCompleted,
			nestor.SubAgentFailed, nestor.SubAgentCancelled))), "taskId")
	SubAgentMessages = inRun(NewCollection[nestor.SubAgentMessage]("sub_agent_messages", SubAgents,
		"users/{userId}/orch-chats/{chatId}/sub-agents/{subAgentId}/messages/{id}",
		Column("role", nestor.RoleSystem, nestor.RoleUser, nestor.RoleAssistant, nestor.RoleTool),
		Column[string]("toolCallId")))
	SubAgentToolCalls = borrowing(inRun(NewCollection[nestor.ToolCall]("sub_agent_tool_calls", SubAgents,
		"users/{userId}/orch-chats/{chatId}/sub-agents/{subAgentId}/tool-calls/{id}",
		Column("status", nestor.ToolCallPending, nestor.ToolCallAwaitingApproval, nestor.ToolCallRunning,
			nestor.ToolCallSuccess, nestor.ToolCallFailed, nestor.ToolCallSkipped, nestor.ToolCallUnknown,
			nestor.ToolCallCancelled))), argsInMessage(SubAgentMessages), resultInAnswer(SubAgentMessages))
)

// UserDocuments stands for the collections that users make up themselves.
var UserDocuments = &Collection{Name: "documents"}

// Catalogue is the flat collections of a store.
type Catalogue struct {
	all []*Collection
	// last finds them by the last segment of their path.
	last map[string][]*Collection
	// beforeWrite and beforeDelete are those that have such a function.
	beforeWrite, beforeDelete []*Collection
	// seqs are the statements of [SeqsSQL], by dialect and tables.
	seqs      sync.Map
	borrowers []*Collection
}

// DefaultCatalogue has the collections of agents.
var DefaultCatalogue = func() *Catalogue {
	c, err := NewCatalogue(Chats, Messages, Tasks, SubAgents, SubAgentMessages, SubAgentToolCalls)
	if err != nil {
		panic(err) // every start would meet it
	}
	return c
}()

// NewCatalogue makes a catalogue of collections, parents before children.
func NewCatalogue(collections ...*Collection) (*Catalogue, error) {
	c := &Catalogue{last: map[string][]*Collection{}}
	for _, add := range collections {
		last := add.segments[len(add.segments)-1]
		for _, has := range c.all {
			if has.Name == add.Name || slices.Equal(has.segments, add.segments) {
				return nil, nestor.Errorf(nestor.CodeInvalid, "the collections %s and %s have the same name or path", has.Name, add.Name)
			}
		}
		if add.Name == UserDocuments.Name || add.Parent != nil && !slices.Contains(c.all, add.Parent) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the collection %s has a name that is taken, or comes before its parent", add.Name)
		}
		c.all, c.last[last] = append(c.all, add), append(c.last[last], add)
		if add.BeforeWrite != nil {
			c.beforeWrite = append(c.beforeWrite, add)
		}
		if add.BeforeDelete != nil {
			c.beforeDelete = append(c.beforeDelete, add)
		}
		if add.Borrows != nil {
			c.borrowers = append(c.borrowers, add)
		}
	}
	return c, nil
}

// All lists the collections, parents before children.
func (c *Catalogue) All() []*Collection { return c.all }

// Tables lists the collections and [UserDocuments]: each has a table.
func (c *Catalogue) Tables() []*Collection { return append([]*Collection{UserDocuments}, c.all...) }

// Flat finds a flat collection by name.
func (c *Catalogue) Flat(name string) (*Collection, bool) {
	i := slices.IndexFunc(c.all, func(c *Collection) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return c.all[i], true
}

// Of tells the kind of a document from its path.
func (c *Catalogue) Of(p nestor.Path) *Collection { return c.ofCollection(p.Collection()) }

func (c *Catalogue) ofCollection(path string) *Collection {
	for _, one := range c.last[path[strings.LastIndexByte(path, '/')+1:]] {
		if one.matches(path) {
			return one
		}
	}
	return UserDocuments
}

// Has reports whether the document at p is of this kind.
func (c *Collection) Has(p nestor.Path) bool { return c.matches(p.Collection()) }

func (c *Collection) matches(collection string) bool {
	if !strings.HasPrefix(collection, c.prefix) {
		return false
	}
	i := 0
	for seg := range strings.SplitSeq(collection, "/") {
		if i >= 2*len(c.segments)-1 {
			return false
		}
		if i%2 == 0 && seg != c.segments[i/2] {
			return false
		}
		i++
	}
	return i == 2*len(c.segments)-1
}

// Glob matches the documents of this kind, and of no other whose path has as many segments.
func (c *Collection) Glob() nestor.Glob {
	return nestor.Glob(strings.Join(c.segments, "/*/") + "/*")
}

// KeyValues are the ids on the path, in the order of Keys.
func (c *Collection) KeyValues(p nestor.Path) []string {
	return pathIDs(string(p))[:len(c.Keys)]
}

func (c *Collection) hasKey(field string) bool {
	return slices.ContainsFunc(c.Keys, func(k Key) bool { return k.Field == field })
}

func pathIDs(path string) []string {
	ids := make([]string, 0, 4)
	i := 0
	for seg := range strings.SplitSeq(path, "/") {
		if i%2 == 1 {
			ids = append(ids, seg)
		}
		i++
	}
	return ids
}

// Under tells how to find the documents of c below p: the ids on p are the
// values of the first key columns. False when there can be none.
func (c *Collection) Under(p nestor.Path) (ids []any, ok bool) {
	i := 0
	for seg := range strings.SplitSeq(string(p), "/") {
		if i/2 >= len(c.Keys) || i%2 == 0 && seg != c.segments[i/2] {
			return nil, false
		}
		if i%2 == 1 {
			ids = append(ids, seg)
		}
		i++
	}
	return ids, true
}

// Path puts a document's path together from its key values and id.
func (c *Collection) Path(keys []string, id string) nestor.Path {
	var b strings.Builder
	b.Grow(nestor.MaxIDLength * 2)
	for i, seg := range c.segments {
		v := id
		if i < len(keys) {
			v = keys[i]
		}
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(seg)
		b.WriteByte('/')
		b.WriteString(v)
	}
	return nestor.Path(b.String())
}

// NewCollection describes the documents of a T, a struct that embeds [nestor.Meta]
// and has a field for each id on the path. The pattern is that of their paths:
// literal segments, each followed by the field of an id in braces, {id} last. If
// the two do not fit, the first use of the schema panics.
func NewCollection[T any](name string, parent *Collection, pattern string, fields ...Field) *Collection {
	c := &Collection{Name: name, Parent: parent, Fields: fields}
	segs := strings.Split(pattern, "/")
	for i := 0; i < len(segs); i += 2 {
		c.segments = append(c.segments, segs[i])
		if f := strings.Trim(segs[i+1], "{}"); f != "id" {
			c.Keys = append(c.Keys, Key{Field: f, Column: snake(f)})
		}
	}
	c.prefix = c.segments[0] + "/"
	c.ScopeKeys = len(c.Keys)
	c.schema = schemaFor[T](c)
	return c
}

// inRun marks a collection whose documents name their run.
func inRun(c *Collection) *Collection {
	c.InRun = true
	return c
}

// ofAUser marks a collection that is followed for a whole user, too.
func ofAUser(c *Collection) *Collection {
	c.ScopeKeys = 1
	return c
}

// unique names a field that no two documents below the same parent share.
func unique(c *Collection, field string) *Collection {
	c.Unique = [][]string{{field}}
	return c
}

// indexed names a field that queries filter by.
func indexed(c *Collection, field string) *Collection {
	c.Indexes = [][]string{{field}}
	return c
}

func borrowing(c *Collection, b ...*Borrowing) *Collection {
	c.Borrows = b
	return c
}

// Column makes a field that its table has a column for. If values are given it
// takes only these.
func Column[S ~string](name string, values ...S) Field {
	f := Field{Name: name, Column: snake(name)}
	for _, v := range values {
		f.Enum = append(f.Enum, string(v))
	}
	return f
}

// Chars bounds how many characters a text has.
func (f Field) Chars(least, most int) Field {
	f.Length = &Bounds{float64(least), float64(most)}
	return f
}

// Between bounds a number.
func (f Field) Between(least, most float64) Field {
	f.Range = &Bounds{least, most}
	return f
}

// Not forbids the value that another field has.
func (f Field) Not(other string) Field {
	f.Unlike = other
	return f
}

// plain reports whether a value of the field's type can only be wrong by not being one of
// a few words, or by its length.
func (f Field) plain() bool { return f.Range == nil && f.Unlike == "" }

// fits reports whether a text is one that the field takes.
func (f Field) fits(v string) bool {
	if f.Enum != nil && !slices.Contains(f.Enum, v) {
		return false
	}
	n := float64(utf8.RuneCountInString(v))
	return f.Length == nil || f.Length.Least <= n && n <= f.Length.Most
}

// OrElse gives a field a default.
func (f Field) OrElse(value string) Field {
	f.Default = value
	return f
}

// complete gives a new body the defaults of the fields that it does not have. A
// later write gets no defaults: what it leaves out is left out on purpose.
func (c *Collection) complete(body map[string]any) {
	for _, f := range c.Fields {
		if _, ok := body[f.Name]; !ok && f.Default != "" {
			body[f.Name] = f.Default
		}
	}
}

func snake(camel string) string {
	var b strings.Builder
	b.Grow(len(camel) + 4)
	for _, r := range camel {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
