package sketch

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// bucket is how many numbers lie in a bucket.
type bucket struct {
	at int32
	n  uint64
}

// buckets are those that have numbers, in order. They are no map, since most are merged
// from others that are in order, too.
type buckets []bucket

// merge adds the numbers of other buckets.
func (b *buckets) merge(o buckets) {
	all, rest := *b, *b
	missing := 0
	for _, one := range o {
		if rest = rest.from(one.at); len(rest) > 0 && rest[0].at == one.at {
			rest[0].n += one.n
		} else {
			missing++
		}
	}
	if missing == 0 {
		return
	}
	// Those that are missing are put in from the end, where there is room.
	i, j := len(all)-1, len(o)-1
	all = slices.Grow(all, missing)[:len(all)+missing]
	for to := len(all) - 1; missing > 0; {
		switch {
		case i < 0 || o[j].at > all[i].at:
			all[to] = o[j]
			missing--
			j--
			to--
		case o[j].at == all[i].at:
			j-- // it was added above
		default:
			all[to] = all[i]
			i--
			to--
		}
	}
	*b = all
}

// from is those at a place or above. The next few are looked at one by one, since that is
// where it mostly is.
func (b buckets) from(at int32) buckets {
	for i := range b {
		if b[i].at >= at {
			return b[i:]
		}
		if i == 8 {
			b = b[i:]
			n, _ := slices.BinarySearchFunc(b, at, func(b bucket, at int32) int { return cmp.Compare(b.at, at) })
			return b[n:]
		}
	}
	return nil
}

// append writes where the first bucket is, and of each its distance from the one before,
// in a number whose last bit says that there is one number in it. If there are more, how
// many follows.
func (b buckets) append(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(len(b)))
	if len(b) == 0 {
		return to
	}
	last := b[0].at
	to = binary.AppendVarint(to, int64(last))
	for _, one := range b {
		step := uint64(one.at-last) << 1
		if one.n == 1 {
			to = binary.AppendUvarint(to, step|1)
		} else {
			to = binary.AppendUvarint(binary.AppendUvarint(to, step), one.n)
		}
		last = one.at
	}
	return to
}

// buckets reads buckets, which have to be in order.
func (r *reader) buckets(as Format, all buckets) buckets {
	n := r.uvarint()
	if n == 0 {
		return all
	}
	at := int64(0)
	if as == Packed {
		at = r.varint()
	}
	for i := uint64(0); i < n && !r.broken; i++ {
		step, count := int64(0), uint64(1)
		if as == Packed {
			packed := r.uvarint()
			if step = int64(packed >> 1); packed&1 == 0 {
				count = r.uvarint()
			}
		} else {
			step, count = r.varint(), r.uvarint()
		}
		at += step
		if i > 0 && step <= 0 || at != int64(int32(at)) {
			r.broken = true
		}
		all = append(all, bucket{int32(at), count})
	}
	return all
}
