package modeltest

import "sync"

// Bounds of a memo: how many pieces it keeps, and how long a piece may be. With one more it begins
// anew.
const (
	maxPieces     = 20_000
	maxPieceBytes = 32 << 10
)

// memo keeps what was read from pieces of JSON that are in order. Nearly all of a conversation's
// request was in the one before, and to read all of it again would make the server the slowest part
// of what is measured with it.
type memo[T any] struct {
	mu   sync.Mutex
	read map[string]T
}

// of is what was read from raw before, or what read gives. It is not to be changed.
func (m *memo[T]) of(raw []byte, read func() (T, *refusal)) (T, *refusal) {
	m.mu.Lock()
	v, known := m.read[string(raw)]
	m.mu.Unlock()
	if known {
		return v, nil
	}
	v, refused := read()
	if refused != nil || len(raw) > maxPieceBytes {
		return v, refused
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read == nil || len(m.read) == maxPieces {
		m.read = map[string]T{}
	}
	m.read[string(raw)] = v
	return v, nil
}
