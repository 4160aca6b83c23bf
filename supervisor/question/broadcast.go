package question

import "sync"

// broadcast wakes everybody who waits. The zero value is ready.
type broadcast struct {
	mu   sync.Mutex // guards next
	next chan struct{}
}

// wait is closed by the next notify.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *broadcast) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
