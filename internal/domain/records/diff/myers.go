package diff

// edits are what makes b of a, in order, with lines that are the same in between.
func edits(a, b []string) []edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	all := shortest(a[start:len(a)-end], b[start:len(b)-end])
	for i := range all {
		all[i].a, all[i].aEnd, all[i].b, all[i].bEnd = all[i].a+start, all[i].aEnd+start, all[i].b+start, all[i].bEnd+start
	}
	return all
}

// shortest finds as few edits as there can be, as Myers does ("An O(ND) Difference
// Algorithm", 1986). After d edits reach[k] is how far one gets in a on the diagonal
// k, where a is k lines ahead of b; the reaches of each d lead back to the beginning.
func shortest(a, b []string) []edit {
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	most := min(len(a)+len(b), maxEdits)
	reach := make([]int32, 2*most+3)
	var trace [][]int32
	for d := 0; d <= most; d++ {
		for k := -d; k <= d; k += 2 {
			x := step(reach, most+1, d, k)
			for int(x) < len(a) && int(x)-k < len(b) && a[x] == b[int(x)-k] {
				x++
			}
			reach[most+1+k] = x
			if int(x) >= len(a) && int(x)-k >= len(b) {
				return back(trace, len(a), len(b), d)
			}
		}
		trace = append(trace, append([]int32{}, reach[most+1-d:most+2+d]...))
	}
	return []edit{{0, len(a), 0, len(b)}}
}

// step is where the d-th edit leads to on the diagonal k: down from the one above,
// which adds a line, or right from the one below, which removes one. Middle is where
// the diagonal 0 stands in reach.
func step(reach []int32, middle, d, k int) int32 {
	switch {
	case d == 0:
		return 0
	case k == -d || k != d && reach[middle+k-1] < reach[middle+k+1]:
		return reach[middle+k+1]
	}
	return reach[middle+k-1] + 1
}

// back follows the trace from the end of both texts, and joins edits that touch.
func back(trace [][]int32, x, y, d int) []edit {
	var reversed []edit
	for ; d > 0; d-- {
		k := x - y
		reach := trace[d-1] // of the diagonals -(d-1) to d-1
		down := k == -d || k != d && at(reach, d-1, k-1) < at(reach, d-1, k+1)
		if down {
			k++
		} else {
			k--
		}
		before := int(at(reach, d-1, k))
		e := edit{before, before, before - k, before - k}
		if down {
			e.bEnd++
		} else {
			e.aEnd++
		}
		x, y = e.a, e.b
		if n := len(reversed); n > 0 && reversed[n-1].a == e.aEnd && reversed[n-1].b == e.bEnd {
			reversed[n-1].a, reversed[n-1].b = e.a, e.b
			continue
		}
		reversed = append(reversed, e)
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return reversed
}

// at is the reach on a diagonal after d edits; -1 on one that they do not lead to.
func at(reach []int32, d, k int) int32 {
	if k < -d || k > d || (k+d)%2 != 0 {
		return -1
	}
	return reach[k+d]
}
