package placement_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/app/apptest"
	"mews/supervisor/placement"
)

// TestSelfTest_WithoutSandbox_Escapes checks that the attempts succeed without a sandbox. An
// attempt that fails for another reason, such as file permissions, would not notice a missing wall.
func TestSelfTest_WithoutSandbox_Escapes(t *testing.T) {
	dir, err := os.MkdirTemp("", "mews-nowalls-") // a folder that the workers' account can enter
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	state := filepath.Join(dir, "state")
	for _, path := range []string{dir, state, filepath.Join(state, "private")} {
		if err := os.MkdirAll(path, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	outcomes, err := placement.TryEscapesWithoutWalls(t.Context(), apptest.BuildPrograms(t), state,
		apptest.WorkersAccount)
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.FieldsSeq("F2 F3 F5 F9 F14 P2 N1 N3 N9 N10") {
		if outcomes[row] != protocol.EscapeSucceeded {
			t.Errorf("%s: %q", row, outcomes[row])
		}
	}
	t.Log(outcomes)
}
