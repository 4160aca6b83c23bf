package modeltest

import "sync"

// Limits of a memo: its number of pieces, and a piece's length in bytes. A full memo starts empty
// again.
const (
	maxPieces     = 20_000
	maxPieceBytes = 32 << 10
)

// memo keeps decoded pieces of valid JSON, because a request repeats nearly all of the previous
// request. Without the memo, this server would be the slowest part of a benchmark.
type memo[T any] struct {
	mu   sync.Mutex
	read map[string]T
}

// of returns the earlier result for raw, or calls read if there is none. The result must not be
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
