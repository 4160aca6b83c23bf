// Package signals wakes goroutines that wait for something to change.
package signals

import "sync"

// Send puts a token into a channel that has room for one. If it holds one already, it changes
// nothing. It never blocks.
func Send(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Broadcast wakes everybody who waits. The zero value is ready. It may be used from several
// goroutines.
type Broadcast struct {
	mu   sync.Mutex    // guards next
	next chan struct{} // nil while nobody waits
}

// Wait returns a channel that the next Notify closes.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Notify wakes everybody who waits.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
