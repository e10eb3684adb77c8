// Package record holds what is stored of metrics.
//
// A point that a client sends is a document of its own (Points), for as long as points
// are kept. What queries read is stored beside it: a block has the points of one write,
// already summed up by series and minute; when its minutes are over it is folded into
// roll-ups and deleted, in one transaction. A roll-up has all series of one name in one
// minute, hour or day. The state of an owner says up to where hours and days are rolled up.
package record

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// The kinds of documents. Those of the server itself are the same as those of users; the
// id in the place of a user's is that of [Server].
var (
	Points = store.NewCollection[Point]("metrics", nil, "users/{userId}/metrics/{id}",
		store.Column[string]("name").Chars(1, MaxName))
	Blocks        = store.NewCollection[Block]("metric_blocks", nil, "users/{userId}/metric-blocks/{id}")
	Rollups       = store.NewCollection[Rollup]("metric_rollups", nil, "users/{userId}/metric-rollups/{id}")
	States        = store.NewCollection[State]("metric_states", nil, "users/{userId}/metric-states/{id}")
	ServerBlocks  = store.NewCollection[Block]("server_metric_blocks", nil, "server/{userId}/metric-blocks/{id}")
	ServerRollups = store.NewCollection[Rollup]("server_metric_rollups", nil, "server/{userId}/metric-rollups/{id}")
	ServerStates  = store.NewCollection[State]("server_metric_states", nil, "server/{userId}/metric-states/{id}")
)

// Collections are all kinds. Routes and the server itself write them, so that sums are
// right. Only points can be followed: blocks and roll-ups are rewritten all the time, and
// the log would keep several times their size.
var Collections = func() []*store.Collection {
	all := []*store.Collection{Points, Blocks, Rollups, States, ServerBlocks, ServerRollups, ServerStates}
	for _, c := range all {
		c.ServerWrites, c.Unfollowed = true, c != Points
	}
	return all
}()

// Owner is whose metrics something is about: the path that they lie below.
type Owner nestor.Path

// Server is the owner of what the runtime tells of all users together.
const Server Owner = "server/runtime"

// OfUser is a user as an owner.
func OfUser(id string) Owner { return Owner("users/" + id) }

// OwnerOf is the owner of a block or a state.
func OwnerOf(p nestor.Path) Owner { return Owner(p.Parent()) }

// Blocks, Rollups and State are where they lie.
func (o Owner) Blocks() string     { return string(o) + "/metric-blocks" }
func (o Owner) Rollups() string    { return string(o) + "/metric-rollups" }
func (o Owner) State() nestor.Path { return nestor.Path(o).Child("metric-states", "rollup") }

// Block is where a block of a write lies.
func (o Owner) Block(write string, number int) nestor.Path {
	return nestor.Path(o).Child("metric-blocks", fmt.Sprintf("%s-%d", write, number))
}

// Point is a point as a client sent it. It never changes.
type Point struct {
	nestor.Meta
	UserID     string            `json:"userId,omitempty"`
	Name       string            `json:"name"`
	Dimensions map[string]string `json:"dimensions,omitempty"`
	Value      float64           `json:"value"`
	// At is when it was measured, in Unix milliseconds.
	At int64 `json:"at"`
}

// Block is the points of one write.
type Block struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	// Newest is the latest minute that it has points of.
	Newest int64   `json:"newest"`
	Groups []Group `json:"groups"`
}

// Group is the points of one name in one minute.
type Group struct {
	Name  string `json:"name"`
	Start int64  `json:"start"`
	// Data has the series with their sketches, as bytes in base64.
	Data string `json:"data"`
}

// Rollup is the points of one name in one minute, hour or day, or a part of its series.
type Rollup struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	Group
}

// SeriesOf is when a roll-up starts and its series as text, without decoding the document
// as JSON: a query reads thousands, and that would be most of what it takes.
func SeriesOf(d *nestor.Document) (start int64, text []byte, err error) {
	// Within a string a quote has a backslash before it, so this can only be the field.
	_, text, found := bytes.Cut(d.Data, []byte(`"data":`))
	if found {
		_, text, found = bytes.Cut(text, []byte{'"'})
	}
	if found {
		text, _, found = bytes.Cut(text, []byte{'"'}) // base64 has no quotes
	}
	id := d.Path.ID()
	digits := strings.LastIndexByte(id, '-') - minuteDigits
	if !found || digits < 0 {
		return 0, nil, nestor.Errorf(nestor.CodeInternal, "%s is no roll-up of metrics", d.Path)
	}
	minute, err := strconv.ParseInt(id[digits:digits+minuteDigits], 10, 64)
	if err != nil {
		return 0, nil, nestor.Errorf(nestor.CodeInternal, "%s is no roll-up of metrics: %w", d.Path, err)
	}
	return minute * time.Minute.Milliseconds(), text, nil
}

// State is how far the metrics of an owner are rolled up. Every roll-up writes it, so
// two at once do not miss each other.
type State struct {
	nestor.Meta
	UserID string `json:"userId,omitempty"`
	// HoursUntil and DaysUntil: the roll-ups of hours and days before have all points
	// that roll-ups of minutes have, and there are none of later ones.
	HoursUntil int64 `json:"hoursUntil"`
	DaysUntil  int64 `json:"daysUntil"`
	// Names are those of all metrics, with their dimensions.
	Names map[string][]string `json:"names"`
}

// MaxName is how long a name may be, so that the ids of roll-ups fit.
const MaxName = 48

// Level is a resolution.
type Level struct {
	letter string
	Length time.Duration
}

// The resolutions.
var (
	Minute = Level{"m", time.Minute}
	Hour   = Level{"h", time.Hour}
	Day    = Level{"d", 24 * time.Hour}
)

// Floor is the start of the minute, hour or day that a moment lies in, and Ceil the
// first start at or after it. Moments are Unix milliseconds.
func (l Level) Floor(at int64) int64 { return at - mod(at, l.Length.Milliseconds()) }
func (l Level) Ceil(at int64) int64  { return l.Floor(at + l.Length.Milliseconds() - 1) }

func mod(a, b int64) int64 { return ((a % b) + b) % b }

// RollupID is the id of a part of a roll-up. Ids of a name and level sort by time: names
// have no dash, and minutes have eight digits until the year 2160.
func RollupID(name string, l Level, start int64, part int) string {
	return fmt.Sprintf("%s-%03d", prefix(name, l, start), part)
}

// RollupRange is where the ids of the roll-ups of a name begin and end that start
// between two moments, the second not included.
func RollupRange(name string, l Level, from, to int64) (first, end string) {
	return prefix(name, l, from), prefix(name, l, to)
}

func prefix(name string, l Level, start int64) string {
	minute := min(max(0, start/time.Minute.Milliseconds()), 99_999_999)
	return fmt.Sprintf("%s-%s%0*d", name, l.letter, minuteDigits, minute)
}

const minuteDigits = 8
