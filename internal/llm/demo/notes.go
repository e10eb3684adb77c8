package demo

import "slices"

// note is one of the few things that the demo model knows by heart, so that its
// examples have something to say without a network.
type note struct {
	names []string // as they are written
	text  string
}

var notes = []note{
	{[]string{"Go", "Golang"}, "**Go** came out of Google in 2009. It compiles quickly to one binary, has a garbage collector, and makes concurrency cheap with goroutines and channels. It is chosen for servers, command lines and infrastructure, and has few features on purpose."},
	{[]string{"Rust"}, "**Rust** began at Mozilla; version 1.0 is of 2015. Ownership and borrowing, checked by the compiler, give memory safety without a garbage collector. It is chosen where speed and safety both count; the price is a steeper way in and slower builds."},
	{[]string{"Zig"}, "**Zig** was begun by Andrew Kelley in 2016. It is a small language close to the machine, with manual memory and allocators that are passed around, code that runs at compile time, and a toolchain that compiles C as well. It has not reached version 1.0."},
	{[]string{"PostgreSQL", "Postgres"}, "**PostgreSQL** is a database server with a history that goes back to 1986. Many clients write at the same time, and it has rich types, indexes and extensions. Somebody has to run it."},
	{[]string{"SQLite"}, "**SQLite** is a database inside the program, in one file, since 2000. There is nothing to set up; many read at once and one writes at a time. It is in every phone."},
	{[]string{"electric ferries", "Electric ferries"}, "**Electric ferries** cross short routes on batteries that are charged at the quay. The first for cars, MF Ampere, has sailed in Norway since 2015. They are quiet and cheap to run; the crossing must be short, and the quay needs a strong connection to the grid."},
}

// notesOn are the notes on what a tool was to search for.
func notesOn(r result) []string {
	if r.tool != tavilySearch && r.tool != searchDocuments {
		return nil
	}
	query, _ := r.args["query"].(string)
	var found []string
	for _, n := range notes {
		if slices.ContainsFunc(n.names, func(name string) bool { return indexWord(query, name) >= 0 }) {
			found = append(found, n.text)
		}
	}
	return found
}
