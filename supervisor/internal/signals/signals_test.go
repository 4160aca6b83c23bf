package signals_test

import (
	"testing"

	"mews/supervisor/internal/signals"
)

func TestSend_Twice_LeavesOneToken(t *testing.T) {
	c := make(chan struct{}, 1)
	signals.SendToken(c)
	signals.SendToken(c)
	if len(c) != 1 {
		t.Errorf("it holds %d tokens, want 1", len(c))
	}
}

func TestBroadcast_Notify_WakesEveryWaiter(t *testing.T) {
	var b signals.Broadcast
	b.Notify() // no goroutine waits yet
	first, second := b.Wait(), b.Wait()
	if closed(first) || closed(second) {
		t.Error("woken before Notify")
	}
	b.Notify()
	if !closed(first) || !closed(second) {
		t.Error("somebody still waits after Notify")
	}
	if closed(b.Wait()) {
		t.Error("one Notify woke somebody who waited after it")
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
