package app

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOnTrial_Files_NameTheVersions(t *testing.T) {
	folder := t.TempDir()
	if isOnTrial(folder, "v1.0.0") {
		t.Error("an update is on trial without a file")
	}
	for _, name := range []string{"trial-two", "result"} {
		text := "v1.0.0 v1.1.0 0 forward active\n"
		if name == "result" {
			text = "v1.2.0 is installed\n"
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range map[string]bool{"v1.0.0": true, "v1.1.0": true, "v1.2.0": false, "v1.1": false} {
		if got := isOnTrial(folder, version); got != want {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}
