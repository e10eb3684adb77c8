package feed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// Live as a position means: from now on.
const Live int64 = -1

// Position is where a subscriber stands: which changes it has seen, and which
// deltas of which process. Following from the position of an event gives what
// comes after that event.
type Position struct {
	// Seq is the last change seen, or [Live].
	Seq int64

	// epoch names the numbers of deltas: those of one process, until it has
	// forgotten which drafts were dropped. It is "" for no deltas at all. delta is
	// the last number seen.
	epoch string
	delta int64
	// In the middle of a batch, which tells all drafts one after the other up
	// to the same number, upto is that number and place how far it got.
	upto, place int64
}

// String is the form that [ParsePosition] reads: the change, then the process
// and the delta, then what was seen of a batch, such as 1042, 1042.k3j2h1.77
// or 1042.k3j2h1.77.90.1034.
func (p Position) String() string {
	switch {
	case p.epoch == "":
		return strconv.FormatInt(p.Seq, 10)
	case p.upto == 0:
		return fmt.Sprintf("%d.%s.%d", p.Seq, p.epoch, p.delta)
	}
	return fmt.Sprintf("%d.%s.%d.%d.%d", p.Seq, p.epoch, p.delta, p.upto, p.place)
}

// ParsePosition reads the text form of a position.
func ParsePosition(s string) (p Position, err error) {
	parts := strings.Split(s, ".")
	numbers := []*int64{&p.Seq, nil, &p.delta, &p.upto, &p.place}
	ok := len(parts) == 1 || len(parts) == 3 || len(parts) == 5
	for i := 0; ok && i < len(parts); i++ {
		if i == 1 {
			p.epoch = parts[i]
			ok = p.epoch != "" && len(p.epoch) <= maxEpoch
			continue
		}
		n, err := strconv.ParseUint(parts[i], 10, 63)
		*numbers[i], ok = int64(n), err == nil
	}
	if !ok || len(parts) == 5 && p.upto <= p.delta {
		return Position{}, nestor.Errorf(nestor.CodeInvalid, "%.80q is not the position of an event: pass on the id of the last one", s)
	}
	return p, nil
}

// maxEpoch bounds the name of a process.
const maxEpoch = 16
