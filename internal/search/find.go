package search

import (
	"cmp"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// foundRows is how many rows of a kind one request looks at; BenchmarkSearch measures
	// what that takes.
	foundRows = 20_000
	// sharedChats is how many chats of others are searched: those that changed last.
	// They are looked at in groups, since a filter names only so many.
	sharedChats, sharedGroup = 120, 30
)

// Ask is what a person looks for.
type Ask struct {
	// Words are from [store.Words].
	Words []string
	// Me is who asks. Their own chats are searched, and those of others that they may
	// read; only those of the user In, if it is set; or only the chat Chat.
	Me, In string
	Chat   nestor.Path
	// Before is where to go on. Defaults to the newest.
	Before *store.Age
	// Limit is how many finds are wanted at most.
	Limit int
}

// FindKind says what was found.
type FindKind string

// What can be found.
const (
	FoundChat    FindKind = "chat"    // by its title
	FoundMessage FindKind = "message" // by its text
	FoundTask    FindKind = "task"    // by its instruction or its result
)

// Find is a document that holds all words.
type Find struct {
	Kind FindKind `json:"kind"`
	// Path is where the document is, and ID its last part.
	Path nestor.Path `json:"path"`
	ID   string      `json:"id"`
	// UserID and ChatID are the chat that it is, or lies in, and ChatTitle is what that
	// is called.
	UserID    string `json:"userId"`
	ChatID    string `json:"chatId"`
	ChatTitle string `json:"chatTitle,omitempty"`
	// Role is who says a message. SubAgentID is the agent that says it, or carries out
	// the task.
	Role       nestor.Role `json:"role,omitempty"`
	SubAgentID string      `json:"subAgentId,omitempty"`
	CreatedAt  int64       `json:"createdAt"`
	// Field is the text that Snippet is from, and At how many characters of it stand
	// before the first word that was found.
	Field   string  `json:"field"`
	At      int     `json:"at"`
	Snippet []Piece `json:"snippet"`
}

// Finds are found documents, newest first.
type Finds struct {
	Items []Find
	// Reached is how far back was looked; nil if there is nothing older.
	Reached *store.Age
}

// kinds are what is searched. What a model is told or tells itself, as summaries and
// results of calls are, is not what anybody said.
var kinds = []struct {
	kind             FindKind
	flat, collection string
	fields           []string
	also             *store.Filter
}{
	{kind: FoundChat, flat: store.Chats.Name, fields: []string{"title"}},
	{kind: FoundMessage, flat: store.Messages.Name, collection: "messages", fields: []string{"content"}, also: &store.Filter{And: []store.Filter{
		*store.Where("type", store.Ne, nestor.MessageSummary),
		*store.Where("type", store.Ne, nestor.MessageToolCall), *store.Where("type", store.Ne, nestor.MessageToolResult),
	}}},
	{kind: FoundMessage, flat: chatfork.KeptMessages.Name, collection: "kept-messages", fields: []string{"content"}},
	{kind: FoundTask, flat: store.Tasks.Name, collection: "tasks", fields: []string{"instruction", "result"}},
}

// Look finds what r may read, newest first, among the titles of chats and what was said in
// them. It looks at a bounded number of rows, so there may be few finds, or none, and yet
// older ones.
func Look(in *store.Catalogue, r store.Reader, ask Ask) (Finds, error) {
	scans, err := ask.scans(in, r)
	if err != nil {
		return Finds{}, err
	}
	type found struct {
		*nestor.Document
		kind   FindKind
		fields []string
	}
	var all []found
	var reached *store.Age // by every scan
	for _, s := range scans {
		part, err := r.(store.Scanner).Scan(s.Scan)
		if err != nil {
			return Finds{}, err
		}
		for _, d := range part.Items {
			all = append(all, found{d, s.kind, s.Fields})
		}
		if part.Reached != nil && (reached == nil || reached.Older(*part.Reached)) {
			reached = part.Reached
		}
	}
	if reached != nil { // beyond, some scans know more than others
		all = slices.DeleteFunc(all, func(f found) bool { return store.AgeOf(f.Document).Older(*reached) })
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.CreatedSeq, a.CreatedSeq))
	})
	if len(all) > ask.Limit {
		all = all[:ask.Limit]
		last := store.AgeOf(all[ask.Limit-1].Document)
		reached = &last
	}
	finds := Finds{Items: []Find{}, Reached: reached}
	titles := titles{r, map[nestor.Path]string{}}
	for _, f := range all {
		find, err := describe(f.Document, f.kind, f.fields, ask.Words)
		if err != nil {
			return Finds{}, err
		}
		if find.ChatTitle, err = titles.of(nestor.Path("users/"+find.UserID).Child("orch-chats", find.ChatID)); err != nil {
			return Finds{}, err
		}
		finds.Items = append(finds.Items, find)
	}
	return finds, nil
}

type scan struct {
	store.Scan
	kind FindKind
}

// scans are what has to be looked at.
func (a *Ask) scans(in *store.Catalogue, r store.Reader) (scans []scan, err error) {
	places, err := a.places(r)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if _, ok := in.Flat(k.flat); !ok {
			continue
		}
		s := scan{store.Scan{Also: k.also, Words: a.Words, Fields: k.fields, Rows: foundRows, Limit: a.Limit + 1, Before: a.Before}, k.kind}
		if a.Chat != "" {
			if s.Collection = string(a.Chat) + "/" + k.collection; k.collection != "" {
				scans = append(scans, s)
			}
			continue
		}
		s.Flat = k.flat
		for _, place := range places {
			s.Where = place(k.flat)
			scans = append(scans, s)
		}
	}
	return scans, nil
}

// places are filters for the chats that are searched, and for what lies in them.
func (a *Ask) places(r store.Reader) ([]func(flat string) *store.Filter, error) {
	of := func(user string) func(string) *store.Filter {
		return func(string) *store.Filter { return store.Where("userId", store.Eq, user) }
	}
	switch {
	case a.Chat != "":
		return nil, nil
	case a.In != "":
		return []func(string) *store.Filter{of(a.In)}, nil
	}
	places := []func(string) *store.Filter{of(a.Me)}
	page, err := r.Query(store.Query{
		Flat: store.Chats.Name, Where: store.Where("userId", store.Ne, a.Me), OrderBy: []store.Order{{Field: "updatedAt", Desc: true}}, Limit: sharedChats,
	})
	if err != nil {
		return nil, err
	}
	for chats := range slices.Chunk(page.Items, sharedGroup) {
		places = append(places, func(flat string) *store.Filter {
			id := "chatId"
			if flat == store.Chats.Name {
				id = "id"
			}
			any := []store.Filter{}
			for _, c := range chats {
				any = append(any, store.Filter{And: []store.Filter{*store.Where("userId", store.Eq, c.Path.UserID()), *store.Where(id, store.Eq, c.Path.ID())}})
			}
			return &store.Filter{Or: any}
		})
	}
	return places, nil
}

// titles reads what chats are called, each once.
type titles struct {
	store.Reader
	known map[nestor.Path]string
}

func (t titles) of(chat nestor.Path) (string, error) {
	if title, ok := t.known[chat]; ok {
		return title, nil
	}
	c, err := store.Find[nestor.Chat](t.Reader, chat)
	if err != nil {
		return "", err
	}
	if c == nil { // a credential for what lies in it, not for the chat
		c = &nestor.Chat{}
	}
	t.known[chat] = c.Title
	return c.Title, nil
}

// describe makes a find of a document.
func describe(d *nestor.Document, kind FindKind, fields, words []string) (Find, error) {
	body, err := nestor.As[struct {
		Title       string      `json:"title"`
		Content     string      `json:"content"`
		Instruction string      `json:"instruction"`
		Result      string      `json:"result"`
		Role        nestor.Role `json:"role"`
		SubAgentID  string      `json:"subAgentId"`
	}](d)
	if err != nil {
		return Find{}, err
	}
	texts := map[string]string{"title": body.Title, "content": body.Content, "instruction": body.Instruction, "result": body.Result}
	find := Find{
		Kind: kind, Path: d.Path, ID: d.Path.ID(), UserID: d.Path.UserID(), CreatedAt: d.CreatedAt,
		Role: body.Role, SubAgentID: body.SubAgentID,
	}
	if find.ChatID = d.Path.ID(); kind != FoundChat {
		find.ChatID = d.Path.Parent().ID()
	}
	// The text that has the most of the words; of equals the first.
	most := -1
	for _, f := range fields {
		if s := newSpots(texts[f], words); s.words > most {
			most = s.words
			find.Field, find.At, find.Snippet = f, s.first(), s.snippet()
		}
	}
	return find, nil
}
