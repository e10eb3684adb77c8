package httpapi

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// commonArea is what several areas speak of.
func commonArea() area {
	return area{Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"Budget":           reflect.TypeFor[nestor.Budget](),
		"Error":            reflect.TypeFor[web.Failure](),
		"ErrorDescription": reflect.TypeFor[web.ErrorText](),
		"RetryPolicy":      reflect.TypeFor[nestor.RetryPolicy](),
	}, Others: map[string]*jsonschema.Schema{
		"Document":  openapi.AnyDocument(),
		"ErrorCode": openapi.ErrorCodes(),
	}, Special: specialTypes()}}
}

// specialTypes are the types whose JSON is not what their Go type says.
func specialTypes() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():       {},
		reflect.TypeFor[nestor.Document]():       openapi.Ref("Document"),
		reflect.TypeFor[nestor.Duration]():       {Type: "string", Description: "A duration such as 1.5s."},
		reflect.TypeFor[store.Filter]():          openapi.Ref("Filter"),
		reflect.TypeFor[nestor.Code]():           openapi.Ref("ErrorCode"),
		reflect.TypeFor[nestor.TaskType]():       openapi.Enum(nestor.TaskAgent, nestor.TaskTool),
		reflect.TypeFor[nestor.ChangeType]():     openapi.Enum(nestor.Create, nestor.Update, nestor.Delete),
		reflect.TypeFor[batchOp]():               openapi.Enum(opCreate, opPut, opPatch, opDelete),
		reflect.TypeFor[nestor.JobState]():       openapi.Enum(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
		reflect.TypeFor[nestor.ToolCallStatus](): openapi.Enum(nestor.ToolCallSuccess, nestor.ToolCallFailed),
		reflect.TypeFor[nestor.DecisionAction](): openapi.Enum(nestor.Approve, nestor.Deny, nestor.GiveResult, nestor.FailCall, nestor.RetryCall, nestor.MarkDone, nestor.SkipCall),
		reflect.TypeFor[access.Kind]():           openapi.Enum(access.InSession, access.WithKey, access.AsLocal, access.AsWebhook),
		reflect.TypeFor[tool.Effect]():           openapi.Enum(tool.Pure, tool.Idempotent, tool.Once),
		reflect.TypeFor[feed.Kind]():             openapi.Enum(feed.KindText, feed.KindReasoning, feed.KindTool, feed.KindRestart, feed.KindDone, feed.KindDrop),
	}
}

// Parameters that several calls have.
var (
	LimitParameter = openapi.Parameter{
		Name: "limit", Description: "How many items to answer with at most.", Example: 2,
		Schema: &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.), Maximum: jsonschema.Ptr(float64(store.MaxLimit))},
	}
	cursorParameter = openapi.Parameter{Name: "cursor", Description: "Where to go on: the next of the page before.", Schema: openapi.Text()}
	orderParameter  = openapi.Parameter{
		Name: "order", Description: "created is oldest first, updated is newest first.", Schema: openapi.Enum("created", "updated"), Example: "updated",
	}
	UserParameter = openapi.Parameter{
		Name: "user", Description: "The id of the user whom it is about. Defaults to the caller. The rules decide what others may see and do.", Schema: openapi.Text(),
	}
)

// Paging are the parameters of a call that answers with a page; see [Request.Page].
func Paging() []Parameter { return []Parameter{LimitParameter, cursorParameter} }

// pathParameters describe the parts of paths that vary, and give an example.
var pathParameters = map[string]openapi.PathParameter{
	"chat":  {Description: "Id of a chat of the caller.", Example: "c1"},
	"task":  {Description: "Id of a task in the chat.", Example: "t1"},
	"agent": {Description: "Id of a sub-agent in the chat.", Example: "a1"},
	"call":  {Description: "Id of a tool call of the agent.", Example: "k1"},
	"path":  {Description: "Path of a document. Its slashes are not escaped.", Example: "users/local/notes/n1"},
	"id":    {Description: "Id, as the list has it.", Example: "x1"},
	"name":  {Description: "Name of a tool.", Example: "calculator"},
	"share": {Description: "Id of a link to the run.", Example: "s1"},
	"token": {Description: "The end of a link that somebody made.", Example: "nst_s_1"},

	"account": {Description: "Id of an account.", Example: "acc1"},
	"project": {Description: "Id of a project.", Example: "acc1.p1"},
	"user":    {Description: "Id of a user.", Example: "ada"},
	"flat":    {Description: "Name of a flat collection, such as chats.", Example: "chats"},
}
