package crashtest

import (
	"syscall"
	"testing"

	"github.com/nestorhq/nestor/internal/worker"
)

func TestAConversationGoesOnWhenOneOfItsNodesIsKilled(t *testing.T) {
	want := wholeConversation(t)
	t.Run("killed", func(t *testing.T) {
		for _, during := range []string{delegation.name, memory.name, holdItem, writeLetter} {
			t.Run("during "+during, func(t *testing.T) {
				t.Parallel()
				g := gather(t)
				release := g.hold(during)
				nodes := map[string]*process{"first": g.invite(task{Name: "first"}), "second": g.invite(task{Name: "second"})}
				victim := nodes[g.until("world", "reached").args[0]]
				victim.signal(syscall.SIGKILL)
				g.until(victim.name, "killed")
				release()
				g.over()
				for _, n := range nodes {
					g.dismiss(n)
				}
				if decided := g.check(want); decided != (during == writeLetter) {
					t.Errorf("the person had to decide about the letter: %v", decided)
				}
			})
		}
		for _, name := range []string{"sub_agents: booker", holdItem + " success", letterClaimed} {
			t.Run("after "+name, func(t *testing.T) {
				t.Parallel()
				g := gather(t)
				point := point{Kind: afterTransaction, Name: name} // of whoever commits it
				first, second := g.invite(task{Name: "first", Kill: point}), g.invite(task{Name: "second", Kill: point})
				g.over()
				if g.dismiss(first) == g.dismiss(second) {
					t.Error("not one of them was killed")
				}
				if decided := g.check(want); decided != (name == letterClaimed) {
					t.Errorf("the person had to decide about the letter: %v", decided)
				}
			})
		}
	})
}

func TestANodeThatWasStoppedHasNoLateEffectOnAConversation(t *testing.T) {
	want := wholeConversation(t)
	t.Run("stopped", func(t *testing.T) {
		for _, during := range []string{delegation.name, bought.name, memory.name, holdItem, writeLetter} {
			t.Run("during "+during, func(t *testing.T) {
				t.Parallel()
				g := gather(t)
				release := g.hold(during)
				first := g.invite(task{Name: "first"})
				g.until("world", "reached", "first")
				first.signal(syscall.SIGSTOP)
				g.expire()
				second := g.invite(task{Name: "second"})
				g.over()

				release()
				first.signal(syscall.SIGCONT)
				g.until("first", "ended", string(worker.LeaseLost))
				g.dismiss(first)
				g.dismiss(second)
				if decided := g.check(want); decided != (during == writeLetter) {
					t.Errorf("the person had to decide about the letter: %v", decided)
				}
			})
		}
	})
}

func TestACallThatAStoppedNodeClaimsLateIsRunByTheOther(t *testing.T) {
	want := wholeConversation(t)
	g := gather(t)
	first := g.invite(task{Name: "first", Wait: true})
	g.until("first", "waits") // before it asks the booker's model
	first.tell(t, "go on")
	g.until("first", "waits") // before it claims the letter
	first.signal(syscall.SIGSTOP)
	g.expire()
	second := g.invite(task{Name: "second", Wait: true})
	g.until("second", "waits") // it has found the letter unclaimed

	first.tell(t, "go on")
	first.stdin.Close() // and take nothing more
	first.signal(syscall.SIGCONT)
	g.until("first", "ended", string(worker.LeaseLost))
	if n := len(g.world.ran(writeLetter)); n != 0 {
		t.Fatalf("the letter was written %d times by a node that had lost its job", n)
	}
	for range 3 { // the claim, the next question to the booker's model, and its next tool
		second.tell(t, "go on")
	}
	g.over()
	g.dismiss(first)
	g.dismiss(second)
	if g.check(want) {
		t.Error("the person had to decide about a letter that nobody but one node wrote")
	}
}
