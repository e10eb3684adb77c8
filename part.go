package nestor

import (
	"fmt"
	"slices"
	"strings"
)

// PartType says what a part of a message is.
type PartType string

// The types of parts.
const (
	PartText  PartType = "text"
	PartImage PartType = "image"
	PartFile  PartType = "file"
	PartAudio PartType = "audio"
)

// Part is a piece of what a message says: a text, or a file that it names. The
// bytes of a file are never in a message.
type Part struct {
	Type PartType `json:"type"`
	// Text is what a part of type text says.
	Text string `json:"text,omitempty"`
	// FileID is the id of a [File], for all other types.
	FileID string `json:"fileId,omitempty"`
	// Name, MediaType and Size are the file's. The server sets the last two, and Name
	// if the message has none.
	Name      string `json:"name,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
	Size      int64  `json:"size,omitempty"`
}

// PartTypeOf is the type of a part that names a file of a media type.
func PartTypeOf(mediaType string) PartType {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch PartType(kind) {
	case PartImage, PartAudio:
		return PartType(kind)
	}
	return PartFile
}

// TextOf is what parts say to those who read text only: their texts or, if there
// are none, the names of the files.
func TextOf(parts []Part) string {
	var texts []string
	for _, p := range parts {
		if p.Type == PartText {
			texts = append(texts, p.Text)
		}
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return strings.TrimSpace(t) != "" }) {
		texts = nil
		for _, p := range parts {
			if p.Type != PartText {
				texts = append(texts, p.Label())
			}
		}
	}
	return strings.Join(texts, "\n\n")
}

// Label names the file of a part, for people and for models that cannot see it.
func (p Part) Label() string {
	if p.Name == "" {
		return fmt.Sprintf("[%s]", p.Type)
	}
	return fmt.Sprintf("[%s %s]", p.Type, p.Name)
}

// File is a file that a user uploaded, or that a tool made for them, stored at
// users/{userId}/files/{id}. Its id is the SHA-256 of its bytes in hexadecimal, so
// a user has the same bytes once. The bytes lie elsewhere.
type File struct {
	Meta
	UserID string `json:"userId,omitempty"`
	// Name is the file's name where it was uploaded first.
	Name string `json:"name,omitempty"`
	// MediaType is what the bytes are, as the server found.
	MediaType string `json:"mediaType"`
	Size      int64  `json:"size"`
	// Storage is where the bytes lie, db, dir or s3, and StoredAs their key there. No
	// two uploads have the same key.
	Storage  string `json:"storage"`
	StoredAs string `json:"storedAs"`
	// Chats counts the chats whose messages name the file. State is unused if there are
	// none: such a file is removed after a while.
	Chats int       `json:"chats"`
	State FileState `json:"state"`
}

// FileState says whether messages name a file.
type FileState string

// The states of a file.
const (
	FileUnused FileState = "unused"
	FileUsed   FileState = "used"
)

// ChatFile says that messages of a chat name a file, stored below the chat at
// files/{id} with the file's id. Who may read the chat may read the file.
type ChatFile struct {
	Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// OwnerID is the user whose file it is.
	OwnerID   string `json:"ownerId"`
	Name      string `json:"name,omitempty"`
	MediaType string `json:"mediaType"`
	Size      int64  `json:"size"`
	// Messages counts the messages of the chat and of its agents that name it.
	Messages int `json:"messages"`
}

// FilePath is where the file of a user lies.
func FilePath(userID, id string) Path { return Path("users/"+userID).Child("files", id) }
