package rollup

import (
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/store"
)

// blockSize is how many bytes of groups a block has, unless one group has more, and
// blockGroups how many groups: a pass takes in whole blocks.
const (
	blockSize   = 4 * partSize
	blockGroups = 20
)

// Write writes points of an owner. It only creates documents, so that writers never wait
// for each other.
func Write(tx store.Tx, owner record.Owner, points *Set) error {
	return WriteAs(tx, owner, nestor.NewID(), points)
}

// WriteAgain is for points of which it is not known whether they were written under the
// id. It writes them if they were not.
func WriteAgain(tx store.Tx, owner record.Owner, id string, points *Set) error {
	first := owner.Block(id, 0)
	switch _, err := tx.Get(first); {
	case err == nil:
		return nil
	case nestor.CodeOf(err) != nestor.CodeNotFound:
		return err
	}
	if folded, err := tx.Deleted(first); folded || err != nil {
		return err
	}
	return WriteAs(tx, owner, id, points)
}

// WriteAs writes points under an id that the caller knows.
func WriteAs(tx store.Tx, owner record.Owner, id string, points *Set) error {
	if err := checkNames(tx, owner, points); err != nil {
		return err
	}
	block, size, n := record.Block{}, 0, 0
	flush := func() error {
		if len(block.Groups) == 0 {
			return nil
		}
		_, err := tx.Create(owner.Block(id, n), block)
		block, size, n = record.Block{}, 0, n+1
		return err
	}
	for _, at := range slices.SortedFunc(maps.Keys(points.groups), place.compare) {
		for _, text := range points.groups[at].parts() {
			if size > 0 && size+len(text) > blockSize || len(block.Groups) == blockGroups {
				if err := flush(); err != nil {
					return err
				}
			}
			block.Groups = append(block.Groups, record.Group{Name: at.name, Start: at.start, Data: text})
			block.Newest, size = max(block.Newest, at.start), size+len(text)
		}
	}
	return flush()
}

// checkNames refuses names that are new if the owner has as many as one may have, and
// dimensions that are new if their metric has. It writes new ones down, so that what is
// not rolled up yet counts, too. Writers wait for each other only then.
func checkNames(tx store.Tx, owner record.Owner, points *Set) error {
	state, err := stateOf(tx, owner)
	if err != nil {
		return err
	}
	own := 0 // names that are not the runtime's
	for name := range state.Names {
		if !strings.HasPrefix(name, Runtime) {
			own++
		}
	}
	changed := false
	for at, all := range points.groups {
		known, is := state.Names[at.name]
		if !is && !strings.HasPrefix(at.name, Runtime) {
			if own++; own > MaxNames {
				return invalid("name", "there are %d metrics already: another name, %s, is not possible", MaxNames, at.name)
			}
		}
		more := known
		for key := range all {
			more = learned(more, key)
		}
		if len(more) > MaxKnown {
			return invalid("dimensions", "the metric %s has %d dimensions already, and cannot have more", at.name, MaxKnown)
		}
		if !is || len(more) > len(known) {
			if state.Names == nil {
				state.Names = map[string][]string{}
			}
			state.Names[at.name] = append([]string{}, more...)
			changed = true
		}
	}
	if changed {
		_, err = tx.Put(owner.State(), state, store.AnyVersion)
	}
	return err
}

// learned are sorted names of dimensions with those of a series among them.
func learned(known []string, series string) []string {
	for series != "" && series != otherSeries {
		name, rest, _ := strings.Cut(series, "\x00")
		_, series, _ = strings.Cut(rest, "\x00")
		if i, found := slices.BinarySearch(known, name); !found {
			known = slices.Insert(slices.Clone(known), i, name)
		}
	}
	return known
}

// stateOf is how far an owner's points are rolled up. It has no version if nothing is.
func stateOf(r store.Reader, owner record.Owner) (record.State, error) {
	d, err := r.Get(owner.State())
	if nestor.CodeOf(err) == nestor.CodeNotFound {
		return record.State{}, nil
	}
	if err != nil {
		return record.State{}, err
	}
	return nestor.As[record.State](d)
}
