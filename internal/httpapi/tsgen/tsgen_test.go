package tsgen_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/httpapi/tsgen"
)

var update = flag.Bool("update", false, "write the generated part of the TypeScript client")

const (
	client    = "../../../clients/typescript"
	generated = client + "/src/api.ts"
)

func TestTheTypeScriptClientIsUpToDate(t *testing.T) {
	want, err := tsgen.Generate(description(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(generated, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the API is: run go test ./internal/httpapi/tsgen -update", generated)
	}
}

// description is what a server says of its API.
func description(t *testing.T) []byte {
	t.Helper()
	text, err := app.Description()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGenerate(t *testing.T) {
	const described = `{
		"paths": {"/things/{thing}/{path}": {"put": {"operationId": "putThing", "summary": "Write a thing", "description": "All of it.",
			"parameters": [{"name":"thing","in":"path"},{"name":"path","in":"path"},
				{"name":"limit","in":"query","schema":{"type":"integer"}},{"name":"If-Match","in":"header","schema":{"type":"string"}}],
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
			"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}, "204": {}}}},
		"/watch": {"get": {"operationId": "watch", "summary": "Watch things.",
			"parameters": [{"name":"of","in":"query","required":true,"schema":{"type":"string"}},{"name":"Last-Event-ID","in":"header","schema":{"type":"string"}}],
			"responses": {"200": {"content": {"text/event-stream": {"x-events": {"thing": {"$ref": "#/components/schemas/Thing"}}}}}}}}},
		"components": {"schemas": {
			"Kind": {"type": "string", "enum": ["a", "b"], "description": "Which."},
			"Thing": {"type": "object", "required": ["id", "kind"], "additionalProperties": false, "properties": {
				"id": {"type": "string"}, "kind": {"$ref": "#/components/schemas/Kind"}, "size": {"type": ["null", "integer"]},
				"any": true, "tags": {"type": "object", "additionalProperties": {"type": "string"}},
				"parts": {"type": "array", "items": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "additionalProperties": {}}},
				"next": {"anyOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "null"}]}}}}}}`
	got, err := tsgen.Generate([]byte(described))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`
/** Which. */
export type Kind = "a" | "b";
`, `
export interface Thing {
  any?: unknown;
  id: string;
  kind: Kind;
  next?: Thing | null;
  parts?: Array<{
    ok?: boolean;
    [field: string]: unknown;
  }>;
  size?: number | null;
  tags?: Record<string, string>;
}
`, `
  /** Write a thing. All of it. */
  putThing(thing: string, path: string, body: Thing, options: Call & { limit?: number; ifMatch?: string } = {}): Promise<Thing | void> {
    return this.send("PUT", ` + "`/things/${encodeURIComponent(thing)}/${this.encodePath(path)}`" + `, { body, query: { limit: options.limit }, headers: { "If-Match": options.ifMatch }, signal: options.signal });
  }
`, `
  /** Watch things. */
  watch(options: Call & { of: string }): AsyncGenerator<ServerEvent<"thing", Thing>, void, void> {
    return this.stream("/watch", { query: { of: options.of }, signal: options.signal });
  }
`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s\nis missing in\n%s", want, got)
		}
	}
	if _, err := tsgen.Generate([]byte("{")); err == nil {
		t.Error("nonsense was read")
	}
}
