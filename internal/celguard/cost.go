package celguard

import (
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// costLimit bounds one evaluation, because conditions run while somebody waits: it
// is spent in a fraction of a second, whatever the condition and the document. It
// counts steps and not time, so that the outcome is the same on every machine.
const costLimit = 1_000_000

// quickLimit is what an evaluation may take of which many are made while somebody waits.
const quickLimit = 5_000

// Weights of what a call has to look at, in tenths of a step.
const (
	elementWeight = 10  // an element of a list or map
	regexFactor   = 100 // a character that is matched, against one that is compared
)

// costs charges a call for the size of its arguments and its result, down to
// the leaves. Where the type of a value is not known beforehand, CEL's own
// estimates count its elements, and not how large they are.
type costs struct{}

// CallCost implements [cost.ActualCostEstimator]. Nil leaves the cost to CEL.
func (costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	_, list := result.(traits.Lister)
	w := 0
	switch {
	case function == operators.Index:
		return nil
	case function == overloads.Size && args[0].Type() != types.StringType:
		return nil // CEL counts characters one by one, but not elements
	case function == operators.Add && list:
		w = weight(args[1]) // the first is linked to it and not copied
	default:
		w = weight(result)
		for _, a := range args {
			w += weight(a)
		}
	}
	if function == overloads.Matches {
		w *= regexFactor
	}
	steps := uint64(1 + w/10)
	return &steps
}

// weight is the size of a value. Values come from JSON or from the condition.
func weight(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case []any:
		return weighList(v)
	case []ref.Val:
		return weighList(v)
	case map[string]any:
		return weighMap(v)
	case ref.Val:
		return weight(v.Value())
	}
	return 1
}

func weighList[E any](list []E) int {
	n := elementWeight * len(list)
	for _, e := range list {
		n += weight(e)
	}
	return n
}

func weighMap[K comparable, E any](m map[K]E) int {
	n := elementWeight * len(m)
	for k, e := range m {
		n += weight(k) + weight(e)
	}
	return n
}
