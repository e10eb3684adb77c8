package file

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// maxParts bounds the parts of a message.
const maxParts = 100

// says reports whether the document at p is a message, which can have parts.
func says(p nestor.Path) bool {
	return store.Messages.Has(p) || store.SubAgentMessages.Has(p) || chatfork.KeptMessages.Has(p)
}

// chatOf is the chat that a document lies in.
func chatOf(p nestor.Path) nestor.Path {
	for !store.Chats.Has(p) {
		p = p.Parent()
	}
	return p
}

// notePath is where a chat has the note about a file.
func notePath(chat nestor.Path, id string) nestor.Path { return chat.Child("files", id) }

// nameFiles checks and completes the parts of a message that is about to be written,
// and notes below its chat which files it names.
func nameFiles(s *store.Session, p nestor.Path, before *nestor.Document, fields map[string]any) error {
	parts, _ := fields["parts"].([]any)
	if len(parts) == 0 || !says(p) {
		return nil
	}
	if len(parts) > maxParts {
		return refuse("a message has at most %d parts", maxParts)
	}
	named, err := namedIn(before)
	if err != nil {
		return err
	}
	var list []nestor.Part
	for _, one := range parts {
		part, ok := one.(map[string]any)
		if !ok {
			return nil // the schema says what is wrong
		}
		if err := checkPart(part); err != nil {
			return err
		}
		if id, _ := part["fileId"].(string); id != "" {
			note, err := name(s, p, fields, id, named[id])
			if err != nil {
				return err
			}
			named[id] = true
			if err := complete(part, note); err != nil {
				return err
			}
		}
		text, _ := part["text"].(string)
		kind, _ := part["type"].(string)
		name, _ := part["name"].(string)
		list = append(list, nestor.Part{Type: nestor.PartType(kind), Text: text, Name: name})
	}
	if content, _ := fields["content"].(string); content == "" && fields["role"] != string(nestor.RoleTool) {
		fields["content"] = nestor.TextOf(list)
	}
	return nil
}

// checkPart refuses a part that is neither a text nor a file.
func checkPart(part map[string]any) error {
	kind, _ := part["type"].(string)
	id, _ := part["fileId"].(string)
	switch nestor.PartType(kind) {
	case nestor.PartText:
		if text, _ := part["text"].(string); id != "" || text == "" {
			return refuse("a part of type text has a text and no file")
		}
	case nestor.PartImage, nestor.PartFile, nestor.PartAudio:
		if _, says := part["text"]; says || id == "" {
			return refuse("a part of type %s has the fileId of an uploaded file and no text", kind)
		}
		if !isID(id) {
			return refuse("%q is not the id of a file: that is the SHA-256 of its bytes in hexadecimal", id)
		}
	default:
		return refuse("the type of a part is text, image, file or audio, not %q", kind)
	}
	return nil
}

// complete says in a part what the file is. Image and audio are what it must be.
func complete(part map[string]any, note *nestor.ChatFile) error {
	kind := nestor.PartType(part["type"].(string))
	if is := nestor.PartTypeOf(note.MediaType); kind != nestor.PartFile && kind != is {
		return refuse("the file %s is of type %s: name it in a part of type %s", note.ID, note.MediaType, is)
	}
	if name, _ := part["name"].(string); name == "" && note.Name != "" {
		part["name"] = note.Name
	}
	part["mediaType"], part["size"] = note.MediaType, note.Size
	return nil
}

// name notes that a message names a file, and returns the note. Known says that the
// message named it before.
func name(s *store.Session, p nestor.Path, fields map[string]any, id string, known bool) (*nestor.ChatFile, error) {
	at := notePath(chatOf(p), id)
	d, err := s.GetToWrite(at)
	if err != nil {
		return nil, err
	}
	if d != nil {
		note, err := nestor.As[nestor.ChatFile](d)
		if err == nil && !known {
			note.Messages++
			_, err = s.Patch(at, map[string]any{"messages": note.Messages}, store.AnyVersion)
		}
		return &note, err
	}
	owner, err := ownerOf(s, p, fields, id)
	if err != nil {
		return nil, err
	}
	held := nestor.FilePath(owner, id)
	if d, err = s.GetToWrite(held); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, refuse("there is no file %s: upload it first, or once more if that is long ago", id)
	}
	f, err := nestor.As[nestor.File](d)
	if err != nil {
		return nil, err
	}
	if _, err := s.Patch(held, map[string]any{"chats": f.Chats + 1, "state": nestor.FileUsed}, store.AnyVersion); err != nil {
		return nil, err
	}
	note := &nestor.ChatFile{OwnerID: owner, Name: f.Name, MediaType: f.MediaType, Size: f.Size, Messages: 1}
	_, err = s.Create(at, note)
	return note, err
}

// ownerOf is the user who must have a file that a message is the first of its chat to
// name: who wrote the message, or else the chat's own user. What a fork keeps is
// whose it was in the chat that it was said in.
func ownerOf(s *store.Session, p nestor.Path, fields map[string]any, id string) (string, error) {
	if chatfork.KeptMessages.Has(p) {
		user, _ := fields["fromUserId"].(string)
		chat, _ := fields["fromChatId"].(string)
		note, err := store.Find[nestor.ChatFile](s, notePath(nestor.Path("users/"+user).Child("orch-chats", chat), id))
		if err != nil {
			return "", err
		}
		if note != nil {
			return note.OwnerID, nil
		}
	}
	if author, _ := fields["authorId"].(string); author != "" {
		return author, nil
	}
	return p.UserID(), nil
}

// namedIn are the files that a message names.
func namedIn(d *nestor.Document) (map[string]bool, error) {
	ids := map[string]bool{}
	if d == nil {
		return ids, nil
	}
	var said struct {
		Parts []nestor.Part `json:"parts"`
	}
	if err := json.Unmarshal(d.Data, &said); err != nil {
		return nil, err
	}
	for _, p := range said.Parts {
		if p.FileID != "" {
			ids[p.FileID] = true
		}
	}
	return ids, nil
}

// idLength is that of a SHA-256 in hexadecimal.
const idLength = 64

func isID(s string) bool {
	if len(s) != idLength {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func refuse(format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", "parts")
}
