package command_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mews/supervisor"
)

// answers returns the beginnings of the answers in a conversation, in order.
func (h *rig) answers(c supervisor.Conversation) (answers []string) {
	h.Helper()
	list, err := h.db.Outbox().List(h.Context(), c.ID, 0, 100)
	if err != nil {
		h.Fatal(err)
	}
	for _, d := range list {
		answers = append(answers, strings.Join(strings.Fields(d.Text)[:2], " "))
	}
	return answers
}

// blockStatus makes /status in ann's conversation run until the test closes the returned channel.
func (h *rig) blockStatus() (over chan struct{}) {
	home := h.home.ID
	over = make(chan struct{})
	h.options.Status = func(ctx context.Context, c supervisor.Conversation) (string, error) {
		if c.ID != home {
			return "a guest", nil
		}
		select {
		case <-over:
			return "all is well", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return over
}

func TestRun_CommandsOfConversation_KeepOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		over := h.blockStatus()
		h.live()
		guest, err := h.db.Conversations().FindOrCreate(t.Context(), "bob", supervisor.ChannelTerminal, "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"/status", "/help", "/new", "/dance", "/status"} {
			h.commands.Accept(h.keep(text))
		}
		synctest.Wait()
		if got := h.answers(h.home); len(got) != 0 {
			t.Errorf("the first one runs, and answered are %q", got)
		}
		home := h.home
		h.home = guest
		h.commands.Accept(h.keep("/status"))
		h.home = home
		synctest.Wait()
		if got := h.answers(guest); !slices.Equal(got, []string{"a guest"}) {
			t.Errorf("somebody else is answered %q", got)
		}
		h.commands.Accept(h.keep("/Stop@mews_bot now"))
		synctest.Wait()
		if got := h.answers(h.home); !slices.Equal(got, []string{"Nothing is"}) {
			t.Errorf("a /stop waits for what runs: answered are %q", got)
		}
		h.commands.Accept(h.keep("/lock me"))
		synctest.Wait()
		if got := h.answers(h.home); !slices.Equal(got, []string{"Nothing is", "I know"}) {
			t.Errorf("a /lock waits for what runs: answered are %q", got)
		}
		close(over)
		synctest.Wait()
		want := []string{"Nothing is", "I know", "all is", "Commands for", "A new", "There is", "all is"}
		if got := h.answers(h.home); !slices.Equal(got, want) {
			t.Errorf("answered are %q, want %q", got, want)
		}
	})
}

// First the commands run that an earlier process left unanswered. They run even before commands
// that were accepted before Run.
func TestRun_LeftoverCommands_ComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		over := h.blockStatus()
		end := h.live()
		for _, text := range []string{"/status", "/help", "/new"} {
			h.commands.Accept(h.keep(text))
		}
		synctest.Wait()
		end() // ends the process: one command runs, and two wait
		if got := h.answers(h.home); len(got) != 0 {
			t.Fatalf("the first life answered %q", got)
		}
		close(over)
		h.commands = h.newCommands()
		h.commands.Accept(h.keep("/dance"))
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- h.commands.Run(ctx) }()
		synctest.Wait()
		if got, want := h.answers(h.home), []string{"all is", "Commands for", "A new", "There is"}; !slices.Equal(got, want) {
			t.Errorf("answered are %q, want %q", got, want)
		}
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
}

// A command is accepted a second time while it waits.
func TestAccept_WaitingCommandAgain_IsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		over := h.blockStatus()
		h.live()
		h.commands.Accept(h.keep("/status"))
		behind := h.keep("/help")
		for range 3 {
			h.commands.Accept(behind)
			synctest.Wait()
		}
		close(over)
		synctest.Wait()
		if got, want := h.answers(h.home), []string{"all is", "Commands for"}; !slices.Equal(got, want) || len(h.answered) != 2 {
			t.Errorf("answered are %q, want %q; announced were %d", got, want, len(h.answered))
		}
	})
}

func TestRun_ManyCommands_KeepOrder(t *testing.T) {
	h := newRig(t)
	h.live()
	var want []string
	for n := range 40 {
		want = append(want, fmt.Sprintf("There is no command /x%d.", n))
		h.commands.Accept(h.keep(fmt.Sprint("/x", n)))
	}
	for range want {
		<-h.answered
	}
	for i, d := range h.outbox() {
		if !strings.HasPrefix(d.Text, want[i]) {
			t.Errorf("answer %d is %q, want %q", i, d.Text, want[i])
		}
	}
}
