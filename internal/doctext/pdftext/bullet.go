package pdftext

import (
	"cmp"
	"math"
	"slices"
)

// shape is the box around a path, in the coordinates of the page. Many programs draw
// the bullets of a list as small shapes instead of letters.
type shape struct {
	left, right, low, high float64
	points                 int
}

const (
	maxBullets = 5000 // of a page
	bulletGap  = 2.5  // how far a bullet lies from its line at most, in parts of its size
	minBullet  = 0.12 // its height
	maxBullet  = 0.6
)

// draws follows a path, and keeps it when it is filled or drawn, if it is about as
// high as it is wide.
func (r *reader) draws(op keyword, n []float64) {
	switch op {
	case "m", "l", "c", "v", "y":
		for i := 0; i+1 < len(n); i += 2 {
			r.path.add(r.state.ctm, n[i], n[i+1])
		}
	case "re":
		if len(n) == 4 {
			r.path.add(r.state.ctm, n[0], n[1])
			r.path.add(r.state.ctm, n[0]+n[2], n[1]+n[3])
		}
	case "f", "F", "f*", "B", "B*", "b", "b*", "S", "s":
		w, h := r.path.right-r.path.left, r.path.high-r.path.low
		if r.path.points > 1 && len(r.bullets) < maxBullets && w < 1.5*h && h < 1.5*w {
			r.bullets = append(r.bullets, r.path)
		}
		r.path = shape{}
	default:
		r.path = shape{}
	}
}

func (s *shape) add(m matrix, x, y float64) {
	x, y = m.a*x+m.c*y+m.e, m.b*x+m.d*y+m.f
	if s.points == 0 {
		*s = shape{left: x, right: x, low: y, high: y}
	}
	s.left, s.right, s.low, s.high = math.Min(s.left, x), math.Max(s.right, x), math.Min(s.low, y), math.Max(s.high, y)
	s.points++
}

// bulletsByHeight are the bullets of a page, the lowest first.
type bulletsByHeight []shape

func sortBullets(all []shape) bulletsByHeight {
	slices.SortFunc(all, func(a, b shape) int { return cmp.Compare(a.low, b.low) })
	return all
}

// before is where a bullet begins that stands before a line, at the height of its
// letters.
func (all bulletsByHeight) before(l textLine) (left float64, ok bool) {
	at, _ := slices.BinarySearchFunc(all, l.across-0.1*l.size, func(s shape, low float64) int { return cmp.Compare(s.low, low) })
	start := l.start()
	for _, s := range all[at:] {
		if s.low > l.across+0.7*l.size {
			break
		}
		h := s.high - s.low
		if h >= minBullet*l.size && h <= maxBullet*l.size && s.right <= start && start-s.right < bulletGap*l.size {
			return s.left, true
		}
	}
	return start, false
}
