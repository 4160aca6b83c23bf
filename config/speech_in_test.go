package config

import "testing"

// A program or model that no worker sees would fail at the first recording.
func TestSpeechFiles_HiddenFromWorkers_AreRefused(t *testing.T) {
	c := &checker{cfg: &Config{Worker: Worker{ReadOnly: []string{"/opt/models"}}}}
	for file, want := range map[string]bool{"/usr/local/bin/whisper-cli": true, "/opt/models/ggml-base.bin": true, "/opt/models": false,
		"/opt/models/../secret.bin": false, "/opt/modelsbeside/x": false, "models/x": false, "/home/ann/m.bin": false} {
		if got := c.seenByWorkers(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}
