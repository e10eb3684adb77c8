package record

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The kinds of documents. Tasks stand in the document they were found in; what is
// known about one besides lies below that document, and goes with it.
var (
	Outcomes = unique("slot", store.NewCollection[Outcome]("user_outcomes", nil, "users/{userId}/outcomes/{id}",
		store.Column("slot", SlotActive),
		store.Column("direction", Directions...),
		store.Column[string]("object").Chars(3, 100), store.Column[string]("metric").Chars(3, 100), store.Column[string]("clarifier").Chars(3, 150),
		store.Column("state_preference", Energized, LowEnergy),
		store.Column[string]("daily_capacity_hours").Between(0.25, 24)))
	Documents = store.NewCollection[SourceDocument]("processed_documents", nil, "users/{userId}/processed-documents/{id}",
		store.Column("status", DocumentQueued, DocumentProcessing, DocumentCompleted, DocumentFailed).OrElse(string(DocumentQueued)),
		store.Column[string]("title").Chars(1, 200))
	Embeddings = ofAUser(store.NewCollection[TaskEmbedding]("task_embeddings", Documents, "users/{userId}/processed-documents/{documentId}/task-embeddings/{id}"))
	VectorSets = store.NewCollection[VectorSet]("task_vectors", nil, "users/{userId}/task-vectors/{id}", store.Column[string]("model").Chars(1, 2000))
	TaskStates = store.NewCollection[TaskState]("task_states", Documents, "users/{userId}/processed-documents/{documentId}/task-states/{id}")

	Relationships = store.NewCollection[TaskRelationship]("task_relationships", nil, "users/{userId}/task-relationships/{id}",
		store.Column[string]("source_task_id"), store.Column[string]("target_task_id").Not("source_task_id"),
		store.Column("type", Prerequisite, Blocks, Related),
		store.Column[string]("confidence").Between(0, 1),
		store.Column("origin", OriginManual, OriginDetected))
	Reflections = store.NewCollection[Reflection]("reflections", nil, "users/{userId}/reflections/{id}", store.Column[string]("text").Chars(1, 2000))

	Sessions = unique("slot", store.NewCollection[AgentSession]("agent_sessions", nil, "users/{userId}/agent-sessions/{id}",
		store.Column("slot", SlotRunning, SlotCurrent),
		store.Column("status", SessionQueued, SessionRunning, SessionCompleted, SessionFailed).OrElse(string(SessionQueued)),
		store.Column[string]("outcome_id")))
	Traces = store.NewCollection[ReasoningTrace]("reasoning_traces", Sessions, "users/{userId}/agent-sessions/{sessionId}/reasoning-traces/{id}",
		store.Column[string]("total_steps").Between(0, MaxSteps))
)

// Collections are all kinds, parents before children. Clients read and delete them
// as any documents, and write them through the routes of the module only: so nobody
// makes up a plan, a status or a second active outcome.
var Collections = serverWrites(Outcomes, Documents, Embeddings, VectorSets, TaskStates, Relationships, Reflections, Sessions, Traces)

// Basis has a place in each collection of a user that an analysis is made from. Somebody who
// does not reach all of them must not learn what comes of it.
func Basis(userID string) (places []nestor.Path) {
	for _, collection := range []string{"outcomes", "processed-documents", "task-relationships", "reflections"} {
		places = append(places, Of(userID).Child(collection, "any"))
	}
	return places
}

func serverWrites(all ...*store.Collection) []*store.Collection {
	for _, c := range all {
		c.ServerWrites = true
	}
	Sessions.InRun = true
	return all
}

func unique(field string, c *store.Collection) *store.Collection {
	c.Unique = [][]string{{field}}
	return c
}

// ofAUser marks a collection that is followed for a whole user, too.
func ofAUser(c *store.Collection) *store.Collection {
	c.ScopeKeys = 1
	return c
}

// Of is where the documents of a user lie.
func Of(userID string) nestor.Path { return nestor.Path("users/" + userID) }

// DocumentsOf, RelationshipsOf and SessionsOf are collections of a user.
func DocumentsOf(userID string) string     { return string(Of(userID)) + "/processed-documents" }
func RelationshipsOf(userID string) string { return string(Of(userID)) + "/task-relationships" }
func SessionsOf(userID string) string      { return string(Of(userID)) + "/agent-sessions" }
