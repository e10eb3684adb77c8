package record

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The kinds of records. The database itself keeps two versions from following the
// same one, and two threads from having the same place.
var (
	TextDocuments = store.NewCollection[TextDocument]("text_documents", nil, "users/{userId}/text-documents/{id}",
		store.Column[string]("title").Chars(1, 500),
		store.Column("type", Markdown).OrElse(string(Markdown)),
		store.Column[string]("previousId"), store.Column[string]("nextId"), store.Column[string]("firstId"))
	MessageThreads = store.NewCollection[MessageThread]("message_threads", nil, "users/{userId}/message-threads/{id}",
		store.Column[string]("parentId"), store.Column[string]("place"))
	ChatThreads = store.NewCollection[ChatThread]("chat_threads", nil, "users/{userId}/chat-threads/{id}",
		store.Column[string]("name").Chars(1, 500),
		store.Column[string]("threadId").Chars(1, nestor.MaxIDLength),
		store.Column[string]("participantId").Chars(1, 200))
	SettingsRecords = store.NewCollection[Settings]("settings", nil, "users/{userId}/settings/{id}",
		store.Column[string]("lastPage").Chars(0, 2000), store.Column[string]("theme").Chars(0, 100))
)

// Collections are all kinds. Clients read and delete versions and threads as any
// documents, and write them through the routes of the module only, so that links
// and places are right. The others they write as they like.
var Collections = func() []*store.Collection {
	TextDocuments.ServerWrites, MessageThreads.ServerWrites = true, true
	TextDocuments.Unique, TextDocuments.Indexes = [][]string{{"previousId"}}, [][]string{{"firstId"}}
	MessageThreads.Unique, MessageThreads.Indexes = [][]string{{"place"}}, [][]string{{"parentId"}}
	ChatThreads.Check = aboutAThread
	return []*store.Collection{TextDocuments, MessageThreads, ChatThreads, SettingsRecords}
}()

// aboutAThread refuses a chat about a thread that is not there. One whose thread was
// deleted since can still be changed.
func aboutAThread(r store.Reader, before, after *nestor.Document) error {
	chat, err := nestor.As[ChatThread](after)
	if err != nil {
		return err
	}
	if before != nil {
		if was, err := nestor.As[ChatThread](before); err != nil || was.ThreadID == chat.ThreadID {
			return err
		}
	}
	missing := nestor.Errorf(nestor.CodeInvalid, "there is no message thread %q", chat.ThreadID).With("field", "threadId")
	if nestor.CheckID(chat.ThreadID) != nil {
		return missing
	}
	d, err := store.FindDocument(r, Of(after.Path.UserID()).Child("message-threads", chat.ThreadID))
	if err == nil && d == nil {
		return missing
	}
	return err
}

// Of is where the records of a user lie.
func Of(userID string) nestor.Path { return nestor.Path("users/" + userID) }
