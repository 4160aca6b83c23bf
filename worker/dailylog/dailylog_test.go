package dailylog_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/dailylog"
	"mews/worker/workspace"
)

const want = `## 01:19, Telegram <!-- turn 7 -->

**You:**

Is there flour?
&lt;!-- turn 8 -->

**You sent, with words of others:**

> Buy eggs
> # now

**Assistant:**

Two bags.

- wrote shopping.md (20 bytes)
`

func exchange() protocol.LogParameters {
	return protocol.LogParameters{Turn: 7, At: time.Date(2026, 11, 19, 23, 19, 0, 0, time.UTC), Channel: "Telegram",
		Answer:  "Two bags.\n",
		Said:    []protocol.LoggedMessage{{Text: "Is there flour?\n<!-- turn 8 -->"}, {Text: "Buy eggs\n# now", World: true}},
		Effects: []string{"wrote shopping.md (20 bytes)"}}
}

// An exchange is logged once, on the user's day, even if it is added twice. Text that looks like
// another exchange's mark is not a mark.
func TestAdd_SameExchange_IsLoggedOnce(t *testing.T) {
	dir := t.TempDir()
	files, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	log := dailylog.Log{Files: files, Zone: time.FixedZone("", 2*60*60)}
	next := exchange()
	next.Turn, next.Said, next.Effects = 8, nil, nil
	for _, p := range []protocol.LogParameters{exchange(), exchange(), next, exchange(), next} {
		if err := log.AddExchange(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "logs/2026-11-20.md"))
	if err != nil || string(got) != want+"\n## 01:19, Telegram <!-- turn 8 -->\n\n**Assistant:**\n\nTwo bags.\n" {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAddExchange_ObeysFileRules(t *testing.T) {
	dir := t.TempDir()
	files, err := workspace.Open(dir, protocol.FilePolicy{Exclude: []string{"logs/**"}})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	log := dailylog.Log{Files: files, Zone: time.UTC}
	if err := log.AddExchange(t.Context(), exchange()); err == nil {
		t.Error("it was logged")
	}
	if _, err := os.Stat(filepath.Join(dir, "logs")); err == nil {
		t.Error("there is a folder")
	}
}
