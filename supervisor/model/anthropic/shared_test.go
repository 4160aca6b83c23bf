package anthropic

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// TestMarkCache_SharedParts_GetMarkers checks that requests write only shared beginnings to the
// cache.
func TestMarkCache_SharedParts_GetMarkers(t *testing.T) {
	for shared, want := range map[int]string{0: "[context  part  task *]", 1: "[context * part  task ]",
		2: "[context * part * task ]"} {
		message := protocol.Message{Role: protocol.RoleUser,
			Parts: []protocol.ContentPart{{Text: "context"}, {Text: "part"}, {Text: "task"}}}
		body, err := encode(modelcall.Request{Model: "m", System: "review", Messages: []protocol.Message{message},
			Cache: 5 * time.Minute, Shared: shared}, thinkingForm{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Messages []struct{ Content []block } }
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range r.Messages[0].Content {
			mark := ""
			if b.CacheControl != nil {
				mark = "*"
			}
			got = append(got, b.Text+" "+mark)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d shared: %v, want %s", shared, got, want)
		}
	}
}
