package pool

import "testing"

// TestWorkerSpec_History_OnlyOneWorkerWrites: one-shot workers may run beside the user's worker,
// which alone writes the file history. An export only reads it.
func TestWorkerSpec_History_OnlyOneWorkerWrites(t *testing.T) {
	for profile := range profiles {
		location := WorkerLocation{Root: "/homes", Path: "ann", HistoryRoot: "/histories", HistoryPath: "ann.history"}
		spec := WorkerSpec{Profile: profile, Location: location}
		m, err := spec.request()
		if err != nil {
			t.Fatal(err)
		}
		given := m.HistoryRoot == "/histories" && m.HistoryPath == "ann.history"
		none := m.HistoryRoot == "" && m.HistoryPath == ""
		if want := profile == ProfileUser || profile == ProfileSelfTest || profile == ProfileExport; given != want ||
			none == want {
			t.Errorf("%s: %q in %q", profile, m.HistoryPath, m.HistoryRoot)
		}
	}
}
