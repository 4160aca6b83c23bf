package shell

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRun_UploadsExist_MarksOutputAsWorld: the output is marked even if the command removes the
// received file afterwards.
func TestRun_UploadsExist_MarksOutputAsWorld(t *testing.T) {
	b := newFixture(t, nil)
	if r := b.mustRun("run_command", "command", "mkdir uploads"); r.World {
		t.Error("there is nothing in uploads")
	}
	if err := os.Mkdir(filepath.Join(b.dir, "uploads/2026-11-20"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"true", "rm -r uploads"} {
		if r := b.mustRun("run_command", "command", command); !r.World {
			t.Errorf("%s: it may have read uploads", command)
		}
	}
	if r := b.mustRun("run_command", "command", "true"); r.World {
		t.Error("uploads is gone")
	}
}
