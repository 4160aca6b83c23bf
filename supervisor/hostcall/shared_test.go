package hostcall_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// TestChildWindow_SharedPrefixes_AreCached checks that the provider gets each shared beginning
// of a window as a separate part. The provider caches these parts for five minutes.
func TestChildWindow_SharedPrefixes_AreCached(t *testing.T) {
	var asked []modelcall.Request
	r, _, _ := newReviewRig(t, funcModel(func(_ context.Context, req modelcall.Request,
		_ func(string)) (protocol.Message, error) {
		asked = append(asked, req)
		return protocol.Message{Parts: []protocol.ContentPart{{Text: "fine"}}}, nil
	}))
	r.options.Cache = time.Hour
	long := strings.Repeat("a line of code\n", 20_000)
	for name, c := range map[string]struct {
		text   string
		shared []int
		want   string // the expected parts, joined by |
	}{
		"none":   {"all of it", nil, "all of it"},
		"one":    {"all of it", []int{4}, "all |of it"},
		"two":    {"all of it", []int{4, 7}, "all |of |it"},
		"a long": {long + "end", []int{15, len(long)}, "a line of code\n|" + long[15:] + "|end"},
	} {
		asked = nil
		p := protocol.ModelStreamParams{Turn: r.open.Turn.ID,
			System: protocol.SystemTextRef{Hash: hash("find bugs"), Text: "find bugs"},
			Tools:  protocol.ToolListRef{Hash: hash("")}, Child: &protocol.ChildContextWindow{Name: name, Text: c.text,
				Shared: c.shared}}
		if _, err := r.call(protocol.MethodModelStream, p); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var parts []string
		for _, part := range asked[0].Messages[0].Parts {
			parts = append(parts, part.Text)
		}
		if got := strings.Join(parts, "|"); got != c.want || asked[0].Shared != len(c.shared) ||
			asked[0].Cache != 5*time.Minute {
			t.Errorf("%s: %.100q, %d shared, cached for %v", name, got, asked[0].Shared, asked[0].Cache)
		}
	}
}

func TestChildWindow_InvalidPrefixes_AreRefused(t *testing.T) {
	for _, shared := range [][]int{{0}, {-1}, {5}, {9}, {3, 3}, {3, 2}, {1, 2, 3}, {2}} {
		w := protocol.ChildContextWindow{Name: "1", Text: "aéбc"[:5], Shared: shared}
		if err := w.Validate(); err == nil {
			t.Errorf("%v of %q is accepted", shared, w.Text)
		}
	}
}
