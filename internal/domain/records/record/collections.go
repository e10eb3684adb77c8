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
	ChatThreads.Check = fits
	return []*store.Collection{TextDocuments, MessageThreads, ChatThreads, SettingsRecords}
}()

// fits refuses a chat about a thread that is not there, or with a participant that the user
// cannot talk to. A chat whose thread or participant was deleted since can still be changed.
func fits(r store.Reader, before, after *nestor.Document) error {
	chat, err := nestor.As[ChatThread](after)
	if err != nil {
		return err
	}
	var was ChatThread
	if before != nil {
		if was, err = nestor.As[ChatThread](before); err != nil {
			return err
		}
	}
	user := after.Path.UserID()
	if was.ThreadID != chat.ThreadID {
		if err := threadIsThere(r, user, chat.ThreadID); err != nil {
			return err
		}
	}
	if was.ParticipantID == chat.ParticipantID {
		return nil
	}
	talks, err := store.TalksTo(r, user, chat.ParticipantID)
	if err == nil && !talks {
		return nestor.Errorf(nestor.CodeInvalid, "there is no participant %q: name one that GET /api/v1/participants lists", chat.ParticipantID).With("field", "participantId")
	}
	return err
}

func threadIsThere(r store.Reader, user, id string) error {
	missing := nestor.Errorf(nestor.CodeInvalid, "there is no message thread %q", id).With("field", "threadId")
	if nestor.CheckID(id) != nil {
		return missing
	}
	d, err := store.FindDocument(r, Of(user).Child("message-threads", id))
	if err == nil && d == nil {
		return missing
	}
	return err
}

// Of is where the records of a user lie.
func Of(userID string) nestor.Path { return nestor.Path("users/" + userID) }
