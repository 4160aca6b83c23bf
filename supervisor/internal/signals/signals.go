// Package signals wakes goroutines that wait for a change.
package signals

import "sync"

// SendToken puts a token into a channel with room for one token. If the channel already has a
// token, SendToken changes nothing. It never blocks.
func SendToken(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Broadcast wakes all waiting goroutines. The zero value is ready. It may be used from several
// goroutines.
type Broadcast struct {
	mu   sync.Mutex    // guards next
	next chan struct{} // channel that the next Notify closes; nil while no goroutine waits
}

// Wait returns a channel that the next call of Notify closes.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Notify wakes all waiting goroutines.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
