package rollup

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Keep is how long each resolution is kept, counted from when it was measured.
type Keep struct {
	// Minutes defaults to 7 days, Hours to 90 days and Days to 2 years.
	Minutes, Hours, Days time.Duration
}

// WithDefaults fills what is not set.
func (k Keep) WithDefaults() Keep {
	for _, f := range []struct {
		is   *time.Duration
		days int
	}{{&k.Minutes, 7}, {&k.Hours, 90}, {&k.Days, 2 * 365}} {
		if *f.is == 0 {
			*f.is = time.Duration(f.days) * 24 * time.Hour
		}
	}
	return k
}

// Roller rolls points up.
type Roller struct {
	Store store.Documents
	Keep  Keep // with its defaults
	// Grace is how long after the end of a minute its blocks are folded, so that most
	// minutes are written once. Defaults to 5 seconds.
	Grace time.Duration
}

const defaultGrace = 5 * time.Second

// Bounds on one pass, so that others do not wait long for it.
const (
	passBlocks = 100
	passGroups = 40
	passBytes  = 4 << 20 // of blocks
	passDelete = 200
)

// Pass does one piece of the work for an owner, in one transaction, and reports whether
// it found something to do. Passes for one owner at the same time follow each other,
// also if they are of different nodes.
func (r *Roller) Pass(ctx context.Context, owner record.Owner, now time.Time) (did bool, err error) {
	grace := r.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	err = r.Store.Update(ctx, func(tx store.Tx) error {
		state, err := stateOf(tx, owner)
		if err != nil {
			return err
		}
		p := &pass{tx: tx, owner: owner, state: state, now: nestor.Millis(now), closed: nestor.Millis(now.Add(-grace)), keep: r.Keep}
		for _, step := range []func() (bool, error){p.fold, p.hour, p.day, p.sweep} {
			if did, err = step(); did || err != nil {
				break
			}
		}
		if !did || err != nil {
			return err
		}
		// This holds the state from now on, if nobody has written it since it was read.
		// So what was read is as it was, and what follows meets nobody.
		if _, err := tx.Put(owner.State(), p.state, store.AnyVersion); err != nil {
			return err
		}
		return p.write()
	})
	return did, err
}

// Owners are those who have blocks that can be folded.
func (r *Roller) Owners(ctx context.Context, now time.Time) (owners []record.Owner, err error) {
	closed := record.Minute.Floor(nestor.Millis(now.Add(-max(r.Grace, defaultGrace))))
	err = r.Store.View(ctx, func(docs store.Reader) error {
		owners = nil
		for _, kind := range []*store.Collection{record.Blocks, record.ServerBlocks} {
			page, err := docs.Query(store.Query{Flat: kind.Name, Where: store.Where("newest", store.Lt, closed), Limit: store.MaxLimit})
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				owners = append(owners, record.OwnerOf(d.Path))
			}
		}
		return nil
	})
	slices.Sort(owners)
	return slices.Compact(owners), err
}

// AllOwners are all who have had points.
func (r *Roller) AllOwners(ctx context.Context) (owners []record.Owner, err error) {
	for _, kind := range []*store.Collection{record.States, record.ServerStates} {
		q := store.Query{Flat: kind.Name, OrderBy: []store.Order{{Field: "userId"}}, Limit: store.MaxLimit}
		for more := true; more; more = q.Cursor != "" {
			var page store.Page
			err := r.Store.View(ctx, func(docs store.Reader) (err error) {
				page, err = docs.Query(q)
				return err
			})
			if err != nil {
				return nil, err
			}
			for _, d := range page.Items {
				owners = append(owners, record.OwnerOf(d.Path))
			}
			q.Cursor = page.Next
		}
	}
	return owners, nil
}

// pass is one transaction of a roll-up.
type pass struct {
	tx          store.Tx
	owner       record.Owner
	state       record.State
	now, closed int64
	keep        Keep
	unpack      unpacker

	// What it is going to write.
	sums []sum
	gone []nestor.Path
}

// fold takes blocks whose minutes are over into the roll-ups of minutes, and into those
// of hours and days that are rolled up already, and deletes them.
func (p *pass) fold() (bool, error) {
	page, err := p.tx.Query(store.Query{
		Collection: p.owner.Blocks(), Where: store.Where("newest", store.Lt, record.Minute.Floor(p.closed)), Limit: passBlocks,
	})
	if err != nil || len(page.Items) == 0 {
		return false, err
	}
	if p.state.HoursUntil == 0 {
		p.state.HoursUntil, p.state.DaysUntil = record.Hour.Floor(p.closed), record.Day.Floor(p.closed)
	}
	if p.state.Names == nil {
		p.state.Names = map[string][]string{}
	}
	groups, size := map[place]series{}, 0
	for _, d := range page.Items {
		block, err := nestor.As[record.Block](d)
		if err != nil {
			return false, err
		}
		if err := addBlock(groups, block); err != nil {
			return false, err
		}
		p.gone = append(p.gone, d.Path)
		if size += len(d.Data); len(groups) >= passGroups || size >= passBytes {
			break
		}
	}
	p.learn(groups)
	for _, l := range []struct {
		record.Level
		until int64
	}{{record.Minute, math.MaxInt64}, {record.Hour, p.state.HoursUntil}, {record.Day, p.state.DaysUntil}} {
		some := coarser(groups, l.Level, l.until)
		for _, at := range slices.SortedFunc(maps.Keys(some), place.compare) {
			if err := p.add(l.Level, at, some[at]); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func addBlock(groups map[place]series, b record.Block) error {
	var u unpacker
	for _, g := range b.Groups {
		at := place{g.Name, g.Start}
		if groups[at] == nil {
			groups[at] = series{}
		}
		if err := groups[at].read(&u, []byte(g.Data)); err != nil {
			return err
		}
	}
	return nil
}

// learn notes names and their dimensions.
func (p *pass) learn(groups map[place]series) {
	for at, all := range groups {
		known := p.state.Names[at.name]
		for key := range all {
			known = learned(known, key)
		}
		if known == nil {
			known = []string{}
		}
		p.state.Names[at.name] = known
	}
}

// coarser sums groups up by hour or day, those before until.
func coarser(groups map[place]series, l record.Level, until int64) map[place]series {
	all := map[place]series{}
	for at, group := range groups {
		to := place{at.name, l.Floor(at.start)}
		if to.start >= until {
			continue
		}
		if all[to] == nil {
			all[to] = series{}
		}
		all[to].merge(group)
	}
	return all
}

// sum is what a roll-up is to be.
type sum struct {
	level record.Level
	place
	series
	old []*nestor.Document // what it is now
}

// add adds series to those that the roll-up at a place has.
func (p *pass) add(l record.Level, at place, more series) error {
	s := sum{level: l, place: at, series: series{}}
	err := scan(p.tx, p.owner, l, at.name, at.start, at.start+l.Length.Milliseconds(), func(d *nestor.Document, _ int64, text []byte) error {
		s.old = append(s.old, d)
		return s.read(&p.unpack, text)
	})
	s.merge(more)
	s.bound(MaxSeries)
	p.sums = append(p.sums, s)
	return err
}

func (p *pass) write() error {
	for _, s := range p.sums {
		texts := s.parts()
		for i, text := range texts {
			path := nestor.Path(p.owner.Rollups() + "/" + record.RollupID(s.name, s.level, s.start, i))
			body := record.Rollup{Group: record.Group{Name: s.name, Start: s.start, Data: text}}
			var err error
			if i < len(s.old) {
				_, err = p.tx.Put(path, body, s.old[i].Version)
			} else {
				_, err = p.tx.Create(path, body)
			}
			if err != nil {
				return err
			}
		}
		for _, d := range s.old[min(len(texts), len(s.old)):] { // parts that are no longer needed
			p.gone = append(p.gone, d.Path)
		}
	}
	for _, path := range p.gone {
		err := p.tx.Delete(path, store.AnyVersion)
		if errors.Is(err, nestor.ErrNotFound) {
			return store.ErrRetry // another pass was first, which the state would tell later
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hour rolls up the next hour that has points and is over.
func (p *pass) hour() (bool, error) {
	return p.next(record.Minute, record.Hour, &p.state.HoursUntil, record.Hour.Floor(p.closed))
}

// day rolls up the next day whose hours all are rolled up.
func (p *pass) day() (bool, error) {
	return p.next(record.Hour, record.Day, &p.state.DaysUntil, record.Day.Floor(p.state.HoursUntil))
}

// next rolls up the next hour or day before end, from what is finer, and says so in until.
func (p *pass) next(fine, coarse record.Level, until *int64, end int64) (bool, error) {
	if p.state.Names == nil || *until >= end {
		return false, nil
	}
	first := end
	for name := range p.state.Names {
		d, err := one(p.tx, p.owner, fine, name, *until, end)
		if err != nil {
			return false, err
		}
		if d != nil {
			start, _, err := record.SeriesOf(d)
			if err != nil {
				return false, err
			}
			first = min(first, coarse.Floor(start))
		}
	}
	if *until = end; first == end {
		return true, nil
	}
	*until = first + coarse.Length.Milliseconds()
	for _, name := range slices.Sorted(maps.Keys(p.state.Names)) {
		found := series{}
		err := scan(p.tx, p.owner, fine, name, first, *until, func(_ *nestor.Document, _ int64, text []byte) error {
			return found.read(&p.unpack, text)
		})
		if err != nil {
			return false, err
		}
		if len(found) == 0 {
			continue
		}
		if err := p.add(coarse, place{name, first}, found); err != nil {
			return false, err
		}
	}
	return true, nil
}

// sweep deletes roll-ups that are over, and forgets names that have none left.
func (p *pass) sweep() (bool, error) {
	before := func(keep time.Duration) int64 { return p.now - keep.Milliseconds() }
	left := passDelete
	// A name whose first points are not rolled up yet has no roll-ups.
	waiting, err := p.tx.Query(store.Query{Collection: p.owner.Blocks(), Limit: 1})
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.state.Names)) {
		has := false
		for _, l := range []struct {
			record.Level
			end int64
		}{
			// What is not rolled up yet stays.
			{record.Minute, min(before(p.keep.Minutes), p.state.HoursUntil)},
			{record.Hour, min(before(p.keep.Hours), p.state.DaysUntil)},
			{record.Day, before(p.keep.Days)},
		} {
			first, end := record.RollupRange(name, l.Level, 0, l.Floor(l.end))
			page, err := p.tx.Query(between(p.owner, first, end, left))
			if err != nil {
				return false, err
			}
			for _, d := range page.Items {
				p.gone = append(p.gone, d.Path)
			}
			if left -= len(page.Items); left == 0 {
				return true, nil
			}
			rest, err := one(p.tx, p.owner, l.Level, name, l.Floor(l.end), p.now+ahead.Milliseconds())
			if err != nil {
				return false, err
			}
			has = has || rest != nil
		}
		if !has && len(waiting.Items) == 0 {
			delete(p.state.Names, name)
			return true, nil
		}
	}
	return left < passDelete, nil
}
