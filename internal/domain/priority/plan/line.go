package plan

import "container/heap"

// line is a queue of numbers, of tasks or of edges, from which the first one comes, whenever it
// was put in.
type line struct {
	items  []int32
	before func(x, y int32) bool
}

func (l *line) first() int32 { return l.items[0] }
func (l *line) push(n int32) { heap.Push((*sortedLine)(l), n) }
func (l *line) pop() int32   { return heap.Pop((*sortedLine)(l)).(int32) }

// sortedLine is a line as package heap wants it.
type sortedLine line

func (l *sortedLine) Len() int           { return len(l.items) }
func (l *sortedLine) Less(i, j int) bool { return l.before(l.items[i], l.items[j]) }
func (l *sortedLine) Swap(i, j int)      { l.items[i], l.items[j] = l.items[j], l.items[i] }
func (l *sortedLine) Push(x any)         { l.items = append(l.items, x.(int32)) }
func (l *sortedLine) Pop() any {
	last := l.items[len(l.items)-1]
	l.items = l.items[:len(l.items)-1]
	return last
}
