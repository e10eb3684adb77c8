package chatdoc

import (
	"testing"

	"github.com/nestorhq/nestor"
)

func TestChatOf(t *testing.T) {
	for _, p := range []nestor.Path{
		"users/u/orch-chats/c", "users/u/orch-chats/c/messages/m", "users/u/orch-chats/c/sub-agents/a/tool-calls/t",
	} {
		if got := ChatOf(p); got != "users/u/orch-chats/c" {
			t.Errorf("the chat of %s is %s", p, got)
		}
	}
}
