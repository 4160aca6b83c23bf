package question

import "sync"

// broadcast tells all who wait that something was pressed. The zero value is ready.
type broadcast struct {
	mu   sync.Mutex // guards next
	next chan struct{}
}

// wait is closed at the next ring.
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
