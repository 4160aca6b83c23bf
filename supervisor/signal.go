package supervisor

import "sync"

// Signal puts a token into a channel that has room for one. Where one is there already it changes
// nothing. It never blocks.
func Signal(to chan<- struct{}) {
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

// Wait is closed by the next Notify after this call.
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
