package session_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"mews/supervisor"
	"mews/supervisor/session"
)

// storeReserved stores a text as the inbox does, in a reserved conversation.
func (h *harness) storeReserved(r supervisor.TurnReservation, c supervisor.Conversation,
	text string) *supervisor.StartedTurn {
	h.Helper()
	h.mu.Lock()
	h.keys++
	key := string(rune('a' + h.keys))
	h.mu.Unlock()
	receipt, err := h.db.Inbox().StoreBatch(h.Context(), supervisor.InboundBatch{Source: "test",
		Reserved: []supervisor.TurnReservation{r}, Items: []supervisor.BatchItem{{
			Inbound: supervisor.Inbound{Conversation: c, Key: key, Kind: supervisor.KindText, Text: text}}}})
	must(h, receipt, err)
	if len(receipt.Started) == 0 {
		return nil
	}
	return &receipt.Started[0]
}

// known gives a conversation its first turn, so that the registry knows the conversation.
func (h *harness) known(user string) supervisor.Conversation {
	h.Helper()
	c := h.conversation(user, "")
	h.say(c, "before")
	h.await(c, 1)
	synctest.Wait()
	return c
}

// A conversation is reserved only if it is idle. While a conversation is reserved, its session does
// not start.
func TestReserveTurn_BusyConversation_Fails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			if h.question(a) == "waits" {
				select {
				case <-hold:
				case <-ctx.Done():
				}
			}
			return h.echo(ctx, a)
		})
		h.options.AtOnce = 1
		h.registry = session.New(h.options)
		stranger := supervisor.Conversation{User: "zoe", Channel: supervisor.ChannelTerminal}
		if _, ok := h.registry.ReserveTurn(stranger); ok {
			t.Error("a conversation was reserved before Run")
		}
		h.liveAs(h.registry)
		ann, bob := h.known("ann"), h.known("bob")
		if _, ok := h.registry.ReserveTurn(stranger); ok {
			t.Error("an unknown conversation was reserved")
		}
		byName := supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}
		r, ok := h.registry.ReserveTurn(byName)
		if !ok || r.Conversation != ann.ID {
			t.Fatalf("an idle conversation: %+v, %v", r, ok)
		}
		if _, ok := h.registry.ReserveTurn(byName); ok {
			t.Error("a reserved conversation was reserved again")
		}
		h.registry.WakeSession(ann)
		h.keep(ann, "waits")
		synctest.Wait()
		if got := len(h.outbox(ann)); got != 1 {
			t.Errorf("a reserved conversation has %d answers", got)
		}
		h.registry.ReleaseTurn(r, nil)
		synctest.Wait()
		if _, ok := h.registry.ReserveTurn(bob); ok {
			t.Error("a conversation was reserved while all slots are taken")
		}
		if _, ok := h.registry.ReserveTurn(ann); ok {
			t.Error("a conversation with a turn was reserved")
		}
		close(hold)
		h.await(ann, 2)
	})
}

// A turn that was started with its message is answered. Its money is returned even if the service
// ends before the turn's session has started.
func TestReleaseTurn_StartedTurn_RunsOrIsRefunded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *harness
		h = newHarness(t, func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
			return h.echo(ctx,
				a)
		})
		a := &turnLeases{}
		h.options.Advances = a
		end := h.live()
		ann := h.known("ann")
		r, ok := h.registry.ReserveTurn(ann)
		if !ok {
			t.Fatal("not reserved")
		}
		h.registry.ReleaseTurn(r, h.storeReserved(r, ann, "one"))
		h.await(ann, 2)
		synctest.Wait()
		r, ok = h.registry.ReserveTurn(ann)
		if !ok {
			t.Fatal("not reserved again")
		}
		started := h.storeReserved(r, ann, "two")
		end()
		a.told = nil
		h.registry.ReleaseTurn(r, started)
		if want := []string{"begin", "end"}; !slices.Equal(a.told, want) {
			t.Errorf("told were %q", a.told)
		}
		h.options.Advances = nil
		h.live()
		h.await(ann, 3)
		if got := h.outbox(ann)[2].Text; got != "re: two" {
			t.Errorf("answered %q", got)
		}
	})
}
