package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestJournal_CutLastLine_KeepsOthers(t *testing.T) {
	j := &Journal{Dir: filepath.Join(t.TempDir(), "backups")}
	path := filepath.Join(j.Dir, JournalName)
	add := func(user string) {
		if err := j.Append(Act{At: noon, Kind: ActDisabled, User: user}); err != nil {
			t.Fatal(err)
		}
	}
	add("ann")
	add("ben")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.Index(string(text), "\n") + 1
	for cut := first; cut < len(text); cut++ { // a kill may leave any part of the second line
		if err := os.WriteFile(path, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		add("cat")
		acts, _, err := parseFile(path)
		names := ""
		for _, a := range acts {
			names += a.User + " "
		}
		want := "ann cat "
		if cut == len(text)-1 { // only the end of the line is missing
			want = "ann ben cat "
		}
		if err != nil || names != want {
			t.Fatalf("cut at %d: %s, %v", cut, names, err)
		}
	}
}

func parseFile(path string) (acts []Act, skipped int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	return ParseJournal(text)
}

// Acts before the oldest backup serve nobody. A line that was cut short stays, because its act is not
// known.
func TestJournal_DropBefore_KeepsLaterActs(t *testing.T) {
	j := &Journal{Dir: t.TempDir()}
	path := filepath.Join(j.Dir, JournalName)
	for hours, user := range []string{"ann", "ben", "cat"} {
		at := noon.Add(time.Duration(hours) * time.Hour)
		if err := j.Append(Act{At: at, Kind: ActRemoved, User: user}); err != nil {
			t.Fatal(err)
		}
		if user == "ann" {
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, append(text, `{"at":`...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := j.DropBefore(noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	acts, skipped, err := parseFile(path)
	if err != nil || len(acts) != 2 || acts[0].User != "ben" || skipped != 1 {
		t.Errorf("%+v, %d skipped, %v", acts, skipped, err)
	}
}

func TestJournal_UnknownAct_IsRefused(t *testing.T) {
	j := &Journal{Dir: t.TempDir()}
	if err := j.Append(Act{At: noon, Kind: "other"}); err == nil {
		t.Error("appended")
	}
	for _, line := range []string{`{"at":"2026-11-30T12:00:00Z","act":"other","user":"ann"}`, `{"a":1}`} {
		if err := os.WriteFile(filepath.Join(j.Dir, JournalName), []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := parseFile(filepath.Join(j.Dir, JournalName))
		if err == nil || !strings.Contains(err.Error(), "line 1 of after.log is damaged") {
			t.Error(err)
		}
	}
}

func TestJournal_FullDisk_IsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, JournalName)); err != nil {
		t.Fatal(err)
	}
	if err := (&Journal{Dir: dir}).Append(Act{At: noon, Kind: ActRemoved, User: "ann"}); err == nil {
		t.Error("no error")
	}
	if err := (&Journal{}).Append(Act{At: noon, Kind: ActRemoved}); err != nil {
		t.Error(err)
	}
}
