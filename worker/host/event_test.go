package host_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mews/protocol"
	"mews/worker/host"
)

func event(kind protocol.EventKind, call, text string) protocol.TurnEvent {
	return protocol.TurnEvent{Turn: 1, Kind: kind, Call: call, Tool: "look", Text: text}
}

func TestRun_Events_ArriveInOrderBeforeItReturns(t *testing.T) {
	s, h := connect(t)
	turn := h.Turn(1)
	sent := make(chan error, 1)
	go func() { sent <- turn.Run(context.Background()) }()
	for i := range 50 {
		turn.SendEvent(event(protocol.EventToolBegan, fmt.Sprint(i), ""))
	}
	turn.Close()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if got := <-s.events; got.Call != fmt.Sprint(i) {
			t.Fatalf("event %d is %+v", i, got)
		}
	}
}

func TestEvent_QueueFull_DropsProgressFirst(t *testing.T) {
	s, h := connect(t)
	turn := h.Turn(1) // Run does not run, so nothing is sent
	turn.SendEvent(event(protocol.EventToolBegan, "first", ""))
	for i := range 1000 {
		turn.SendEvent(event(protocol.EventToolProgress, "first", fmt.Sprint(i)))
	}
	for i := range 200 {
		turn.SendEvent(event(protocol.EventToolProgress, fmt.Sprint(i), ""))
	}
	for i := range 100 {
		turn.SendEvent(event(protocol.EventToolEnded, fmt.Sprint(i), ""))
	}
	turn.Close()
	if err := turn.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	count := map[protocol.EventKind]int{}
	for range 128 {
		count[(<-s.events).Kind]++
	}
	if count[protocol.EventToolBegan] != 1 || count[protocol.EventToolEnded] != 100 ||
		count[protocol.EventToolProgress] != 27 {
		t.Errorf("got %v", count)
	}
}

func TestEvent_NewerProgress_ReplacesOlder(t *testing.T) {
	s, h := connect(t)
	turn := h.Turn(1)
	for _, text := range []string{"10 %", "50 %", "90 %"} {
		turn.SendEvent(event(protocol.EventToolProgress, "a", text))
	}
	turn.SendEvent(event(protocol.EventToolEnded, "a", "done"))
	turn.Close()
	if err := turn.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first, second := <-s.events, <-s.events; first.Text != "90 %" || second.Text != "done" {
		t.Errorf("got %q and %q", first.Text, second.Text)
	}
}

func TestRun_ContextEnds_ReturnsItsCause(t *testing.T) {
	cause := errors.New("the turn is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, waiting := range []bool{false, true} {
		turn := host.New(silentConn{}).Turn(1)
		if waiting {
			turn.SendEvent(event(protocol.EventToolBegan, "a", ""))
		}
		if err := turn.Run(ctx); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
}

// TestNextMessage_SendsEarlierEventsFirst: otherwise the user's screen would show the model's
// answer above the tools.
func TestNextMessage_SendsEarlierEventsFirst(t *testing.T) {
	s, h := connect(t)
	s.onStream = func(protocol.ModelStreamParams) {
		if n := len(s.events); n != 3 {
			t.Errorf("the model is asked after %d events of 3", n)
		}
	}
	for range 50 {
		turn := h.Turn(1)
		ran := make(chan error, 1)
		go func() { ran <- turn.Run(context.Background()) }()
		for _, kind := range []protocol.EventKind{protocol.EventToolBegan, protocol.EventToolProgress,
			protocol.EventToolEnded} {
			turn.SendEvent(event(kind, "a", ""))
		}
		if _, err := turn.NextModelMessage(t.Context(), 1, "system", []protocol.Tool{{Name: "look"}}); err != nil {
			t.Fatal(err)
		}
		turn.Close()
		if err := <-ran; err != nil {
			t.Fatal(err)
		}
		for range 3 {
			<-s.events
		}
	}
}
