package question

import "sync"

// bell tells all who wait that something was pressed. The zero value is ready.
type bell struct {
	mu   sync.Mutex // guards next
	next chan struct{}
}

// rung is closed at the next ring.
func (b *bell) rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
