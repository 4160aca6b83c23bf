package command_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"mews/supervisor"
)

// guest returns bob's conversation.
func (h *rig) guest() supervisor.Conversation {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), "bob", supervisor.ChannelTerminal, "", "")
	if err != nil {
		h.Fatal(err)
	}
	return c
}

// A locked-out user's running and waiting commands end without an answer. Other users' commands
// continue.
func TestEndUserCommands_LockedOut_GetNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		over := h.blockStatus()
		h.fakes.approvals = make(chan error)
		h.live()
		home, guest := h.home, h.guest()
		h.commands.Accept(h.keep("/status"))
		h.home = guest
		asks, behind := h.keep("/settings stream off"), h.keep("/settings stream on")
		h.commands.Accept(asks)
		h.commands.Accept(behind)
		synctest.Wait()
		if err := h.commands.EndUserCommands(t.Context(), "bob"); err != nil {
			t.Fatal(err)
		}
		if err := h.commands.EndUserCommands(t.Context(), "bob"); err != nil { // bob has no commands any more
			t.Fatal(err)
		}
		close(over)
		synctest.Wait()
		if asked := len(h.fakes.asked); asked != 1 || len(h.fakes.settings) != 0 || len(h.answers(guest)) != 0 {
			t.Errorf("bob was asked %d times, has set %v, and was answered %q", asked, h.fakes.settings,
				h.answers(guest))
		}
		if got := h.answers(home); !slices.Equal(got, []string{"all is"}) {
			t.Errorf("somebody else is answered %q", got)
		}
		h.commands.Accept(h.keep("/status")) // bob's next command is answered again
		synctest.Wait()
		if got := h.answers(guest); !slices.Equal(got, []string{"a guest"}) {
			t.Errorf("when they are back they are answered %q", got)
		}
	})
}

// The user of a command is deleted while the command runs.
func TestAnswer_DeletedUser_IsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		erased := make(chan struct{})
		h.options.Status = func(ctx context.Context, c supervisor.Conversation) (string, error) {
			_, err := h.db.UserAccessStores().People.Erase(ctx, c.User)
			close(erased)
			return "all is well", err
		}
		end := h.live()
		h.home = h.guest()
		gone := h.keep("/status")
		h.commands.Accept(gone)
		<-erased
		synctest.Wait() // with a retry, the command would still run
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.commands.EndUserCommands(ctx, "bob"); err != nil {
			t.Errorf("it is still being answered: %v", err)
		}
		end()
	})
}
