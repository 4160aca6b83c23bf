package feature_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/feature/featuretest"
)

func TestFindCall_OtherTool_IsOffence(t *testing.T) {
	turn := featuretest.NewTurn("ann", protocol.ToolCall{ID: "c1", Name: "remember"},
		protocol.ToolCall{ID: "c2", Name: "read_file"})
	for id, ok := range map[string]bool{"c1": true, "c2": false, "c3": false, "": false,
		strings.Repeat("x", 65): false} {
		call, err := turn.FindCall(id, "remember", "forget")
		if (err == nil) != ok || ok && call.Name != "remember" || !ok && !featuretest.IsOffence(err) {
			t.Errorf("%.9s: got %+v, %v", id, call, err)
		}
	}
}
