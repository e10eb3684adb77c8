package rules

import (
	"reflect"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// frame is what a condition sees: one operation on one document. It is request,
// resource, resource.params and chat at once; the types below tell them apart,
// and make a misspelt field an error when the rules are loaded. Everything is put
// together when it is asked for.
type frame struct {
	judge         *Judge
	op            Op
	path          nestor.Path
	segments      []string
	doc           *nestor.Document // as it is now, nil if there is none
	before, after func() map[string]any
	differ        []string // see changed; nil until it is asked for
}

// ResolveName implements [cel.Activation].
func (f *frame) ResolveName(string) (any, bool) { return f, true }

// Parent implements [cel.Activation].
func (f *frame) Parent() cel.Activation { return nil }

var (
	requestType  = cel.ObjectType("nestor.Request")
	callerType   = cel.ObjectType("nestor.Caller")
	resourceType = cel.ObjectType("nestor.Resource")
	paramsType   = cel.ObjectType("nestor.Params")
	chatType     = cel.ObjectType("nestor.Chat")
	objectTypes  = []*cel.Type{requestType, callerType, resourceType, paramsType, chatType}
)

var objectFields = map[string]map[string]*types.FieldType{
	requestType.TypeName(): {
		"auth": field(callerType, func(f *frame) any { return callerValue{f} }),
		"op":   field(cel.StringType, func(f *frame) any { return string(f.op) }),
		"now":  field(cel.TimestampType, func(f *frame) any { return f.judge.engine.opts.Now() }),
	},
	callerType.TypeName(): {
		"uid":    field(cel.StringType, func(f *frame) any { return f.judge.caller.UserID }),
		"admin":  field(cel.BoolType, func(f *frame) any { return f.judge.caller.Admin }),
		"kind":   field(cel.StringType, func(f *frame) any { return string(f.judge.caller.Kind) }),
		"scopes": field(cel.ListType(cel.StringType), func(f *frame) any { return f.judge.caller.Scopes }),
	},
	resourceType.TypeName(): {
		"path":    field(cel.StringType, func(f *frame) any { return string(f.path) }),
		"id":      field(cel.StringType, func(f *frame) any { return f.path.ID() }),
		"params":  field(paramsType, func(f *frame) any { return f }),
		"before":  field(cel.DynType, func(f *frame) any { return orNull(f.before) }),
		"after":   field(cel.DynType, func(f *frame) any { return orNull(f.after) }),
		"changed": field(cel.ListType(cel.StringType), func(f *frame) any { return f.changed() }),
	},
	chatType.TypeName(): {
		"role":      field(cel.StringType, func(f *frame) any { return f.judge.chatRole(f.segments, f.doc) }),
		"accountId": field(cel.StringType, func(f *frame) any { return f.judge.chatOf(f.segments, f.doc).AccountID }),
		"projectId": field(cel.StringType, func(f *frame) any { return f.judge.chatOf(f.segments, f.doc).ProjectID }),
	},
}

func field(t *cel.Type, get func(*frame) any) *types.FieldType {
	return &types.FieldType{
		Type:    t,
		IsSet:   func(f any) bool { return get(f.(*frame)) != nil },
		GetFrom: func(f any) (any, error) { return get(f.(*frame)), nil },
	}
}

// paramFields are the placeholders of a pattern as fields of resource.params.
func paramFields(p *pattern) map[string]*types.FieldType {
	fields := map[string]*types.FieldType{}
	for i, name := range p.names {
		if name != "" {
			fields[name] = field(cel.StringType, func(f *frame) any { return f.segments[i] })
		}
	}
	return fields
}

// orNull is a body, or null where there is no document.
func orNull(body func() map[string]any) any {
	if m := body(); m != nil {
		return m
	}
	return nil
}

// changed are the fields that differ before and after, without the ids on the
// path, which nobody can change. They are found once: a loop may ask for them
// each time around.
func (f *frame) changed() []string {
	if f.differ != nil {
		return f.differ
	}
	before, after := f.before(), f.after()
	names := []string{}
	for name, value := range after {
		if old, ok := before[name]; !ok || !reflect.DeepEqual(old, value) {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	keys := f.judge.engine.opts.Catalogue.Of(f.path).Keys
	f.differ = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(keys, func(k store.Key) bool { return k.Field == name })
	})
	return f.differ
}

// callerValue is request.auth as a value by itself, on which role is called.
type callerValue struct{ *frame }

func (v callerValue) role(accountID string) ref.Val {
	return types.String(v.judge.role(accountID))
}

// Value implements [ref.Val].
func (v callerValue) Value() any { return v.frame }

// Type implements [ref.Val].
func (v callerValue) Type() ref.Type { return callerType }

// Equal implements [ref.Val].
func (v callerValue) Equal(other ref.Val) ref.Val { return types.Bool(v == other) }

// ConvertToNative implements [ref.Val].
func (v callerValue) ConvertToNative(reflect.Type) (any, error) {
	return nil, nestor.Errorf(nestor.CodeInvalid, "request.auth is no value by itself")
}

// ConvertToType implements [ref.Val].
func (v callerValue) ConvertToType(ref.Type) ref.Val {
	return types.NewErr("request.auth is no value by itself")
}
