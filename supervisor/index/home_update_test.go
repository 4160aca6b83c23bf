package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/sqlite/sqlitetest"
)

// homeFile makes a file with a section for each text.
func homeFile(path string, modified int64, texts ...string) (f HomeFile, list []Section) {
	f = HomeFile{Path: path, Size: int64(len(texts)), Modified: time.Unix(modified, 0)}
	for i, text := range texts {
		hash := SectionHash(fmt.Sprintf("%032x", text))
		f.Sections = append(f.Sections, SectionPosition{Hash: hash, Line: i + 1})
		list = append(list, Section{Hash: hash, Heading: "Garden", Text: text})
	}
	return f, list
}

// reportHome reports a complete home, but stops after a number of steps. It returns how many
// sections were missing.
func (r *rig) reportHome(user string, steps int, files map[string][]string, at int64) (missing int) {
	r.Helper()
	r.await("the index", func() bool { return r.index.reconciledDB() != nil })
	u := r.index.BeginHomeUpdate(user)
	var page []HomeFile
	texts := map[SectionHash]Section{}
	for path, list := range files {
		f, sections := homeFile(path, at, list...)
		page = append(page, f)
		for _, s := range sections {
			texts[s.Hash] = s
		}
	}
	differing, err := u.AddFiles(r.Context(), page)
	var batch []HomeFile
	for _, i := range differing {
		batch = append(batch, page[i])
	}
	var hashes []SectionHash
	if err == nil && steps > 1 {
		hashes, err = u.AddSections(r.Context(), batch)
	}
	for i, hash := range hashes {
		if err == nil && steps > 2+i {
			err = u.StoreSections(r.Context(), []Section{texts[hash]})
		}
	}
	if err == nil && steps > 2+len(hashes) {
		_, err = u.End(r.Context(), HomeCoverage{Large: 1}, false)
	}
	if err != nil {
		r.Fatal(err)
	}
	return len(hashes)
}

const allSteps = 100

// findInHome returns what a search finds in a home, as path and text.
func (r *rig) findInHome(user string) (found []string) {
	r.Helper()
	for _, h := range r.search(Query{User: user, Text: "garden", Scope: ScopeHome, Limit: 100}) {
		found = append(found, h.Path+" "+h.Text)
	}
	slices.Sort(found)
	return found
}

func (r *rig) checkFound(user string, want ...string) {
	r.Helper()
	if got := r.findInHome(user); !slices.Equal(got, want) {
		r.Errorf("found %q, want %q", got, want)
	}
}

func TestHomeUpdate_IndexMatchesHome(t *testing.T) {
	r := newRig(t, "ann", "bob").run()
	r.waitUntilRead()
	if result, err := r.index.Search(t.Context(), Query{User: "ann", Text: "garden", Scope: ScopeHome}); err != nil || result.Incomplete != textHomeUnread {
		t.Errorf("before its home was read: %q, %v", result.Incomplete, err)
	}
	r.reportHome("ann", allSteps, map[string][]string{"a.md": {"red", "green"}, "b.md": {"red"}, "c.md": nil}, 1)
	r.reportHome("bob", allSteps, map[string][]string{"bob.md": {"bob's"}}, 1)
	r.checkFound("ann", "a.md green", "a.md red")
	r.checkFound("bob", "bob.md bob's")
	if report, err := r.index.HomeCoverage(t.Context(), "ann"); err != nil || report.Files != 2 ||
		report.Sections != 3 || report.Large != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if n := r.reportHome("ann", allSteps, map[string][]string{"moved.md": {"red", "green"}, "c.md": nil}, 1); n != 0 {
		t.Errorf("of a file that was moved %d sections are missing", n)
	}
	r.checkFound("ann", "moved.md green", "moved.md red")
	r.reportHome("ann", allSteps, map[string][]string{"moved.md": {"green", "blue"}}, 2)
	r.checkFound("ann", "moved.md blue", "moved.md green")
	if left := sqlitetest.QueryColumnInCopy(t, r.index.o.Path,
		"SELECT text FROM section WHERE user = 'ann' ORDER BY text"); !slices.Equal(left, []string{"blue", "green"}) {
		t.Errorf("kept are %q", left)
	}
	if err := r.index.EraseUser(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	r.checkFound("ann")
	r.checkFound("bob", "bob.md bob's")
}

// The next update has the same result after an interruption at any step.
func TestHomeUpdate_Interrupted_IsCompletedLater(t *testing.T) {
	for steps := range 6 {
		r := newRig(t, "ann").run()
		r.waitUntilRead()
		r.reportHome("ann", allSteps, map[string][]string{"a.md": {"red", "green"}, "gone.md": {"grey"}}, 1)
		r.reportHome("ann", steps, map[string][]string{"a.md": {"blue", "green", "pink"}, "b.md": {"red"}}, 2)
		r.stop()
		r.run()
		r.waitUntilRead()
		r.reportHome("ann", allSteps, map[string][]string{"a.md": {"blue", "green", "pink"}, "b.md": {"red"}}, 2)
		r.checkFound("ann", "a.md blue", "a.md green", "a.md pink", "b.md red")
		if left := sqlitetest.QueryColumnInCopy(t, r.index.o.Path,
			"SELECT text FROM section ORDER BY text"); len(left) != 4 {
			t.Errorf("after %d steps kept are %q", steps, left)
		}
	}
}

// An impossible report changes nothing in the index.
func TestHomeUpdate_ImpossibleReport_Fails(t *testing.T) {
	r := newRig(t, "ann").run()
	r.waitUntilRead()
	f, list := homeFile("a.md", 1, "red")
	other, otherList := homeFile("b.md", 1, "blue")
	for name, tell := range map[string]func(u *HomeUpdate) error{
		"duplicate file": func(u *HomeUpdate) error {
			_, err := u.AddFiles(t.Context(), []HomeFile{f, f})
			return err
		},
		"too many files": func(u *HomeUpdate) error {
			for i := range MaxFiles {
				u.named[fmt.Sprint(i)] = true
			}
			_, err := u.AddFiles(t.Context(), []HomeFile{f})
			return err
		},
		"sections of an unnamed file": func(u *HomeUpdate) error {
			_, err := u.AddSections(t.Context(), []HomeFile{f})
			return err
		},
		"unrequested section": func(u *HomeUpdate) error {
			u.named["a.md"] = true
			_, err := u.AddSections(t.Context(), []HomeFile{f})
			return errors.Join(err, u.StoreSections(t.Context(), append(otherList, list...)))
		},
		"sections before missing ones": func(u *HomeUpdate) error {
			u.named["a.md"], u.named["b.md"] = true, true
			_, err := u.AddSections(t.Context(), []HomeFile{f})
			_, again := u.AddSections(t.Context(), []HomeFile{other})
			return errors.Join(err, again)
		},
		"end before missing sections": func(u *HomeUpdate) error {
			u.named["a.md"] = true
			_, err := u.AddSections(t.Context(), []HomeFile{f})
			_, end := u.End(t.Context(), HomeCoverage{}, false)
			return errors.Join(err, end)
		},
	} {
		if err := tell(r.index.BeginHomeUpdate("ann")); !errors.Is(err, ErrContradictoryReport) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.checkFound("ann")
}

// A concurrent search waits for some sections, not for a whole file. In this test the time of an
// update is over at once.
func TestHomeUpdate_ManyRemovals_TakeSeveralSteps(t *testing.T) {
	r := newRig(t, "ann")
	var hours atomic.Int64
	r.index.o.Now = func() time.Time { return time.Unix(0, 0).Add(time.Duration(hours.Add(1)) * time.Hour) }
	r.run().waitUntilRead()
	var texts []string
	for i := range 2*removeBatch + 5 {
		texts = append(texts, fmt.Sprint("number ", i))
	}
	r.reportHome("ann", allSteps, map[string][]string{"a.md": texts, "b.md": texts[:1]}, 1)
	took := 0
	for left, more := len(texts), true; more; took++ {
		var err error
		if more, err = r.index.BeginHomeUpdate("ann").End(t.Context(), HomeCoverage{}, false); err != nil {
			t.Fatal(err)
		}
		found := len(r.findInHome("ann"))
		if left-found > removeBatch {
			t.Errorf("%d of %d sections were taken out", left-found, left)
		}
		left = found
	}
	if took < 4 {
		t.Errorf("it took %d updates", took)
	}
	if files, err := r.index.HomeManifest(t.Context(), "ann"); err != nil || len(files) != 0 {
		t.Errorf("kept are %+v, %v", files, err)
	}
}

func TestSearch_UnreadableFiles_AreReported(t *testing.T) {
	r := newRig(t, "ann").run()
	r.waitUntilRead()
	if _, err := r.index.BeginHomeUpdate("ann").End(t.Context(), HomeCoverage{Excess: 7}, false); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[SearchScope]string{ScopeHome: "7 of them", ScopeTranscript: ""} {
		result, err := r.index.Search(t.Context(), Query{User: "ann", Text: "x", Scope: source})
		if err != nil || !strings.Contains(result.Incomplete, want) || (want == "") != (result.Incomplete == "") {
			t.Errorf("%s: %q, %v", source, result.Incomplete, err)
		}
	}
}

// A search reports the unfinished update before its first step and between its steps, but not
// afterwards.
func TestSearch_UnfinishedUpdate_IsReported(t *testing.T) {
	r := newRig(t, "ann").run()
	r.waitUntilRead()
	says := func(want string) {
		t.Helper()
		for _, source := range []SearchScope{ScopeHome, ScopeBoth, ScopeTranscript} {
			result, err := r.index.Search(t.Context(), Query{User: "ann", Text: "red", Scope: source})
			if err != nil || source != ScopeTranscript && result.Incomplete != want || source == ScopeTranscript && result.Incomplete != "" {
				t.Errorf("%q: %q, %v, want %q", source, result.Incomplete, err, want)
			}
		}
	}
	says(textHomeUnread)
	r.reportHome("ann", 3, map[string][]string{"a.md": {"red"}}, 1)
	says(fmt.Sprintf(textHomeReading, 1))
	if found := r.findInHome("ann"); len(found) != 1 {
		t.Errorf("of what has been read %q is found", found)
	}
	r.reportHome("ann", allSteps, map[string][]string{"a.md": {"red"}}, 1)
	says("")
}

// The test restores the index as it was before its last commits, which a power cut may lose.
func TestRun_LostCommits_AreRepeated(t *testing.T) {
	r := newRig(t, "ann").run()
	forgotten := r.putMessage("ann", protocol.RoleUser, "garden zyzzyva")
	r.reportHome("ann", allSteps, map[string][]string{"a.md": {"red", "green"}, "gone.md": {"grey"}}, 1)
	r.waitUntilRead()
	r.stop()
	before, err := os.ReadFile(r.index.o.Path)
	if err != nil {
		t.Fatal(err)
	}
	again := func() {
		r.index = New(r.index.o)
		r.run().waitUntilRead()
	}
	again()
	r.change("DELETE FROM message WHERE id = %d", forgotten)
	if err := r.index.RemoveMessages(t.Context(), "ann", []int64{forgotten}); err != nil {
		t.Fatal(err)
	}
	r.putMessage("ann", protocol.RoleUser, "garden of the club")
	r.reportHome("ann", allSteps, map[string][]string{"a.md": {"blue"}, "new.md": {"red"}}, 2)
	r.waitUntilRead()
	r.stop()
	if err := errors.Join(os.WriteFile(r.index.o.Path, before, 0o600), os.RemoveAll(r.index.o.Path+"-wal")); err != nil {
		t.Fatal(err)
	}
	again()
	if found := r.search(Query{User: "ann", Text: "garden zyzzyva", Scope: ScopeTranscript}); len(found) != 1 || found[0].Text != "garden of the club" {
		t.Errorf("%+v", found)
	}
	r.checkFound("ann", "a.md green", "a.md red", "gone.md grey")
	r.reportHome("ann", allSteps, map[string][]string{"a.md": {"blue"}, "new.md": {"red"}}, 2)
	r.checkFound("ann", "a.md blue", "new.md red")
	if left := r.filesWith("grey"); len(left) > 0 {
		t.Errorf("left is %q", left)
	}
}

// The user was deleted while the index was closed, so the index was not told.
func TestRun_ErasedUserWithoutMessages_IsDeleted(t *testing.T) {
	r := newRig(t, "ann", "bob").run()
	r.reportHome("bob", allSteps, map[string][]string{"zyzzyva.md": nil}, 1)
	r.stop()
	r.people = r.people[:1]
	r.change("DELETE FROM conversation WHERE user = 'bob'")
	r.index = New(r.index.o)
	r.run().waitUntilRead()
	if left := r.filesWith("zyzzyva"); len(left) > 0 {
		t.Errorf("left is %q", left)
	}
}

func BenchmarkReconcileUnchanged(b *testing.B) {
	r := newRig(b, "ann").run()
	r.waitUntilRead()
	var pages [][]HomeFile
	u := r.index.BeginHomeUpdate("ann")
	for i := range 20 {
		var page []HomeFile
		for n := range 500 {
			f, _ := homeFile(filepath.Join("notes", fmt.Sprint(i), fmt.Sprint(n, ".md")), 1)
			page = append(page, f)
		}
		pages = append(pages, page)
		if _, err := u.AddFiles(b.Context(), page); err != nil {
			b.Fatal(err)
		}
		if _, err := u.AddSections(b.Context(), page); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		u := r.index.BeginHomeUpdate("ann")
		for _, page := range pages {
			if differing, err := u.AddFiles(b.Context(), page); err != nil || len(differing) > 0 {
				b.Fatal(differing, err)
			}
		}
		if _, err := u.End(b.Context(), HomeCoverage{}, false); err != nil {
			b.Fatal(err)
		}
	}
}
