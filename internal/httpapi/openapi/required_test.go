package openapi_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
)

type order struct {
	Name    string            `json:"name"`
	Note    string            `json:"note,omitempty"`
	Lines   []line            `json:"lines"`
	Gift    *line             `json:"gift,omitempty"`
	ByHouse map[string]line   `json:"byHouse,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Said    said              `json:"said,omitzero"`
}

type line struct {
	Article string   `json:"article"`
	Count   *int     `json:"count"`
	Sizes   []string `json:"sizes,omitempty"`
}

type parcel struct {
	Content *line `json:"content"`
}

// said is a text, or lines.
type said struct{}

func TestWhatASchemaRequires(t *testing.T) {
	t.Parallel()
	known := openapi.Schemas{
		Types: map[string]reflect.Type{"Order": reflect.TypeFor[order](), "Line": reflect.TypeFor[line](), "Parcel": reflect.TypeFor[parcel]()},
		Others: map[string]*jsonschema.Schema{"Tree": openapi.Object(map[string]*jsonschema.Schema{
			"value": {}, "children": openapi.Array("Tree"),
		})},
		Special: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[said](): {AnyOf: []*jsonschema.Schema{openapi.Text(), openapi.Array("Line")}}},
	}
	const whole = `{"name":"x","lines":[]`
	for name, tt := range map[string]struct{ schema, body, field string }{
		"nothing is missing":                       {"Order", `{"name":"x","note":"y","lines":[{"article":"a","count":1,"sizes":["s"]}]}`, ""},
		"what is optional may be missing, or null": {"Order", whole + `,"note":null,"gift":null,"said":null,"labels":{"a":null}}`, ""},
		"a field is missing":                       {"Order", `{"lines":[]}`, "name"},
		"a field is null":                          {"Order", `{"name":null,"lines":[]}`, "name"},
		"a list is null":                           {"Order", `{"name":"x","lines":null}`, "lines"},
		"a field of an item is missing":            {"Order", `{"name":"x","lines":[{"article":"a","count":1},{"count":1}]}`, "lines[1].article"},
		"a field behind a pointer is null":         {"Order", `{"name":"x","lines":[{"article":"a","count":null}]}`, "lines[0].count"},
		"an item is null":                          {"Order", `{"name":"x","lines":[null]}`, "lines[0]"},
		"a text of a list is null":                 {"Order", `{"name":"x","lines":[{"article":"a","count":1,"sizes":[null]}]}`, "lines[0].sizes[0]"},
		"a field of what is optional is missing":   {"Order", whole + `,"gift":{"article":"a"}}`, "gift.count"},
		"a field below any name is missing":        {"Order", whole + `,"byHouse":{"n1":{"count":1}}}`, "byHouse.n1.article"},
		"one alternative":                          {"Order", whole + `,"said":"hello"}`, ""},
		"a field in another alternative":           {"Order", whole + `,"said":[{"article":"a"}]}`, "said[0].count"},
		"of two of a name, the last is null":       {"Order", whole + `,"name":null}`, "name"},
		"the letters of another case":              {"Order", `{"Name":"x","lines":[]}`, "name"},
		"there is nothing":                         {"Order", `null`, "name"},
		"a pointer to a named type is null":        {"Parcel", `{"content":null}`, "content"},
		"null is a value":                          {"Tree", `{"value":null,"children":[]}`, ""},
		"a value is missing":                       {"Tree", `{"children":[]}`, "value"},
		"a field far below is missing":             {"Tree", `{"value":1,"children":[{"value":2,"children":[{"value":3}]}]}`, "children[0].children[0].children"},
	} {
		err := known.Requires(openapi.Ref(tt.schema)).Check([]byte(tt.body))
		var told *nestor.Error
		switch errors.As(err, &told); {
		case tt.field == "" && err != nil, tt.field != "" && (told == nil || told.Code != nestor.CodeInvalid || told.Details["field"] != tt.field):
			t.Errorf("%s: %s is answered with %v, want %q", name, tt.body, err, tt.field)
		}
	}
}
