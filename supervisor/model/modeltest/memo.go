package modeltest

import "sync"

// Limits of a memo: the number of its values, and the bytes of a key. A full memo is emptied.
const (
	maxPieces     = 20_000
	maxPieceBytes = 32 << 10
)

// memo remembers decoded JSON, because a request repeats most of the previous request. Without
// memos, this server would be the slowest part of a benchmark.
type memo[T any] struct {
	mu   sync.Mutex
	read map[string]T
}

// of returns the remembered value for raw. If there is none, it calls read. The value must not be
// changed.
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
