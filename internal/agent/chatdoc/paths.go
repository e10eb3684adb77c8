package chatdoc

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// ChatOf is the chat that a document lies in or is.
func ChatOf(p nestor.Path) nestor.Path {
	end := 0
	for range 4 {
		next := strings.IndexByte(string(p[end:]), '/')
		if next < 0 {
			return p
		}
		end += next + 1
	}
	return p[:end-1]
}

// AgentOf is the agent that a message or a call belongs to, or p if that is one.
func AgentOf(p nestor.Path) nestor.Path {
	if store.SubAgents.Has(p) {
		return p
	}
	return p.Parent()
}

// TaskPath is where a task of a chat lies.
func TaskPath(chat nestor.Path, id string) nestor.Path { return chat.Child("tasks", id) }

// AgentPath is where an agent of a chat lies.
func AgentPath(chat nestor.Path, id string) nestor.Path { return chat.Child("sub-agents", id) }

// QuestionPath is where the message of a chat lies that puts an agent's question to
// people. There is one for each question, whoever writes it.
func QuestionPath(chat nestor.Path, agent, call string) nestor.Path {
	return chat.Child("messages", nestor.DeriveID("question", agent, call))
}

// MessagesOf asks for the messages of a chat or of an agent.
func MessagesOf(parent nestor.Path) store.Query {
	return store.Query{Collection: string(parent) + "/messages"}
}

// CallsOf asks for the tool calls of an agent.
func CallsOf(agent nestor.Path) store.Query {
	return store.Query{Collection: string(agent) + "/tool-calls"}
}

// TasksOf asks for the tasks of a chat.
func TasksOf(chat nestor.Path) store.Query {
	return store.Query{Collection: string(chat) + "/tasks"}
}
