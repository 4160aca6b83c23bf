package finding

import (
	"slices"
	"testing"

	"mews/protocol"
)

func TestUnreadReasons_SameReason_IsListedOnce(t *testing.T) {
	part := func(name string, paths ...string) (c protocol.ReviewChunk) {
		c.Name = name
		for _, p := range paths {
			c.Files = append(c.Files, protocol.ReviewFile{Path: p})
		}
		return c
	}
	m := protocol.ReviewMaterial{Chunks: []protocol.ReviewChunk{part("chunk-1", "a.go", "b.go"),
		part("chunk-2", "b.go", "c.go"), part("chunk-3", "d.go", "e.go", "f.go", "g.go")}}
	unread := func(pairs ...string) (list []protocol.ReviewText) {
		for p := range slices.Chunk(pairs, 2) {
			list = append(list, protocol.ReviewText{Name: p[0], Text: p[1]})
		}
		return list
	}
	for name, c := range map[string]struct {
		unread []protocol.ReviewText
		want   []string
	}{
		"nothing":         {nil, nil},
		"one part":        {unread("chunk-1", "no time"), []string{"a.go, b.go: no time"}},
		"the same reason": {unread("chunk-1", "no time", "chunk-2", "no time"), []string{"a.go, b.go, c.go: no time"}},
		"two reasons": {unread("chunk-2", "no time", "chunk-1", "no money", "chunk-2", "no money"),
			[]string{"b.go, c.go: no time", "a.go, b.go, c.go: no money"}},
		"many files": {unread("chunk-1", "no time", "chunk-2", "no time", "chunk-3", "no time"),
			[]string{"a.go, b.go, c.go, d.go, e.go, and 2 more: no time"}},
		"an unknown part": {unread("chunk-9", "no time"), []string{"chunk-9: no time"}},
		"no part":         {unread("", "left out"), []string{"left out"}},
	} {
		if got := UnreadReasons(m, c.unread); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
