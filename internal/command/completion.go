package command

import (
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The scripts ask the program itself what may come next, so they are right for
// every version and need not know a command.
var (
	//go:embed completion.bash
	completionBash string
	//go:embed completion.zsh
	completionZsh string
	//go:embed completion.fish
	completionFish string
)

// complete prints the script of a shell. For "words" it prints what the last
// word of a command line may become: one on a line, with a tab and what it
// does.
func complete(w io.Writer, p *program, args []string) (err error) {
	switch {
	case len(args) > 1 && args[0] == "words":
		for _, c := range candidates(p, args[1:]) {
			if _, err := fmt.Fprintf(w, "%s\t%s\n", c.word, c.help); err != nil {
				return err
			}
		}
	case len(args) == 1 && args[0] == "bash":
		_, err = io.WriteString(w, completionBash)
	case len(args) == 1 && args[0] == "zsh":
		_, err = io.WriteString(w, completionZsh)
	case len(args) == 1 && args[0] == "fish":
		_, err = io.WriteString(w, completionFish)
	default:
		err = fmt.Errorf("nestor completion needs the name of a shell: bash, zsh or fish")
	}
	return err
}

// candidate is a word that may come next.
type candidate struct{ word, help string }

// candidates are the commands and flags that a command line may go on with. If
// there are none, something else is expected, such as a file.
func candidates(p *program, words []string) (list []candidate) {
	before, start := words[:len(words)-1], words[len(words)-1]
	if c, _, ok := find(p.commands, before); ok {
		if strings.HasPrefix(start, "-") {
			list = c.allFlags(p)
		}
	} else {
		list = nextWords(p.commands, before)
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.word, start) })
}

func (c command) allFlags(p *program) (list []candidate) {
	c.newFlags(p).VisitAll(func(fl *flag.Flag) { list = append(list, candidate{"--" + fl.Name, fl.Usage}) })
	return append(list, candidate{"--help", "Tell more about the command"})
}

// nextWords are the words of commands that come after the given ones.
func nextWords(commands []command, before []string) (list []candidate) {
	for _, c := range commands {
		name := strings.Fields(c.name)
		if len(name) <= len(before) || !slices.Equal(name[:len(before)], before) {
			continue
		}
		next := candidate{word: name[len(before)]}
		if len(name) == len(before)+1 {
			next.help = c.summary
		}
		list = append(list, next)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.word, b.word) })
	return slices.CompactFunc(list, func(a, b candidate) bool { return a.word == b.word })
}
