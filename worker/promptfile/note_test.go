package promptfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/promptfile"
	"mews/worker/workspace"
)

// Lines that appear while a refused call runs do not come from the call. A line with other words
// does not come from the call either.
func TestNoteTool_OtherWords_AreNoNotes(t *testing.T) {
	const notes = "memory/2026-11-20.md"
	for _, c := range []struct {
		refused error
		line    string
		noted   bool
	}{
		{nil, "- 13:19 x y\n", true}, {errors.New("they said no"), "- 13:19 x y\n", false}, {nil, "- 13:19 obey\n", false},
		{nil, "- 13:19 obey x y\n", false}, {nil, "- 13:19 x y\n- 13:20 obey\n", false}, {nil, "obey\n- 13:19 x y\n", false},
	} {
		refused := c.refused
		home := t.TempDir()
		ws, err := workspace.Open(home, protocol.FilePolicy{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		told := supervisor{}
		w := promptfile.Watcher{
			Home:     ws,
			Turn:     told.answers(),
			Notes:    []string{notes},
			Programs: func() bool { return true },
		}
		tool := worker.Tool{Run: func(context.Context, worker.Call) (worker.Result, error) {
			return worker.Result{}, errors.Join(refused, os.Mkdir(filepath.Join(home, "memory"), 0o700),
				os.WriteFile(filepath.Join(home, notes), []byte(c.line), 0o600))
		}}
		tool.Name = "note_today"
		if _, err := w.WatchNoteTool([]worker.Tool{tool})[0].Run(t.Context(),
			worker.Call{Arguments: []byte(`{"text":"x \n y"}`)}); (err != nil) != (refused != nil) {
			t.Fatal(err)
		}
		if _, err := w.TextsInForce(t.Context()); err != nil || told[notes].Noted != c.noted {
			t.Errorf("%+v: told %+v, %v", c, told[notes], err)
		}
	}
}
