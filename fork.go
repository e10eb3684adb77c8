package nestor

// ForkPoint says which conversation a chat goes on from. The server sets it when the
// chat is forked.
type ForkPoint struct {
	// UserID and ChatID are the chat in which the message was said.
	UserID string `json:"userId"`
	ChatID string `json:"chatId"`
	// MessageID is the last message that is shared, and SaidAt when it was said. It is
	// "" in a fork from before the first message, which shares nothing.
	MessageID string `json:"messageId"`
	SaidAt    int64  `json:"saidAt"`
	// Title is what the chat was called when it was forked.
	Title string `json:"title,omitempty"`
	// InsteadOf is the message in whose place the fork says something, if it was made from
	// before one, and InsteadIn the chat in which that was said. All forks that begin in
	// the place of one message name the same.
	InsteadOf string `json:"insteadOf,omitempty"`
	InsteadIn string `json:"insteadIn,omitempty"`
	// KeptID is the last kept message that is shared, if that chat is a fork itself which
	// keeps it, or if KeptIn is set.
	KeptID string `json:"keptId,omitempty"`
	// Kept: the other chat is gone, or the shared part of it was changed. What was
	// shared is kept below this chat since then, or below KeptIn, another fork of the same
	// user that shared it, too.
	Kept   bool   `json:"kept,omitempty"`
	KeptIn string `json:"keptIn,omitempty"`
}

// Source is the chat in which the fork finds what it shares, "" if that is the fork
// itself, a chat of this user.
func (f *ForkPoint) Source(user string) Path {
	switch {
	case !f.Kept:
		return f.Chat()
	case f.KeptIn != "":
		return Path("users/"+user).Child("orch-chats", f.KeptIn)
	}
	return ""
}

// Chat is the path of the chat in which the message was said.
func (f *ForkPoint) Chat() Path { return Path("users/"+f.UserID).Child("orch-chats", f.ChatID) }

// ChatFork is a note below a chat that another one shares messages with it, stored
// at forks/{id}. Whoever deletes it makes the fork keep what it shares.
type ChatFork struct {
	Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// ForkUserID and ForkChatID are the fork.
	ForkUserID string `json:"forkUserId"`
	ForkChatID string `json:"forkChatId"`
}

// Fork is the path of the fork.
func (f *ChatFork) Fork() Path {
	return Path("users/"+f.ForkUserID).Child("orch-chats", f.ForkChatID)
}

// KeptMessage is a message that a fork shared with a chat which is gone, or changed
// it since. It is stored below the fork at kept-messages/{id}, in the order in which
// the messages were said.
type KeptMessage struct {
	Message
	// FromUserID, FromChatID and MessageID say where it was said, SaidAt and SaidSeq
	// when.
	FromUserID string `json:"fromUserId"`
	FromChatID string `json:"fromChatId"`
	MessageID  string `json:"messageId"`
	SaidAt     int64  `json:"saidAt"`
	SaidSeq    int64  `json:"saidSeq"`
}

// From is where the message was said.
func (k *KeptMessage) From() Path {
	return Path("users/"+k.FromUserID).Child("orch-chats", k.FromChatID).Child("messages", k.MessageID)
}
