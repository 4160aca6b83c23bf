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

// homeFile is a file with a section for each text.
func homeFile(path string, modified int64, texts ...string) (f File, list []Section) {
	f = File{Path: path, Size: int64(len(texts)), Modified: time.Unix(modified, 0)}
	for i, text := range texts {
		hash := SectionHash(fmt.Sprintf("%032x", text))
		f.Sections = append(f.Sections, Place{Hash: hash, Line: i + 1})
		list = append(list, Section{Hash: hash, Heading: "Garden", Text: text})
	}
	return f, list
}

// tell tells of files that are all that there are, up to a step, and says what was missing.
func (r *rig) tell(user string, steps int, files map[string][]string, at int64) (missing int) {
	r.Helper()
	r.await("the index", func() bool { return r.index.reconciled() != nil })
	u := r.index.UpdateHome(user)
	var page []File
	texts := map[SectionHash]Section{}
	for path, list := range files {
		f, sections := homeFile(path, at, list...)
		page = append(page, f)
		for _, s := range sections {
			texts[s.Hash] = s
		}
	}
	differing, err := u.Files(r.Context(), page)
	var batch []File
	for _, i := range differing {
		batch = append(batch, page[i])
	}
	var hashes []SectionHash
	if err == nil && steps > 1 {
		hashes, err = u.Sections(r.Context(), batch)
	}
	for i, hash := range hashes {
		if err == nil && steps > 2+i {
			err = u.Put(r.Context(), []Section{texts[hash]})
		}
	}
	if err == nil && steps > 2+len(hashes) {
		_, err = u.End(r.Context(), HomeReport{Large: 1}, false)
	}
	if err != nil {
		r.Fatal(err)
	}
	return len(hashes)
}

const allSteps = 100

// inHome is what of a home is found, as path and text.
func (r *rig) inHome(user string) (found []string) {
	r.Helper()
	for _, h := range r.search(Query{User: user, Text: "garden", Source: SourceHome, Limit: 100}) {
		found = append(found, h.Path+" "+h.Text)
	}
	slices.Sort(found)
	return found
}

func (r *rig) wants(user string, want ...string) {
	r.Helper()
	if got := r.inHome(user); !slices.Equal(got, want) {
		r.Errorf("found %q, want %q", got, want)
	}
}

func TestAHomeIsFollowed(t *testing.T) {
	r := newRig(t, "ann", "bob").run()
	r.read()
	if result, err := r.index.Search(t.Context(), Query{User: "ann", Text: "garden", Source: SourceHome}); err != nil || result.Behind != textHomeUnread {
		t.Errorf("before its home was read: %q, %v", result.Behind, err)
	}
	r.tell("ann", allSteps, map[string][]string{"a.md": {"red", "green"}, "b.md": {"red"}, "c.md": nil}, 1)
	r.tell("bob", allSteps, map[string][]string{"bob.md": {"bob's"}}, 1)
	r.wants("ann", "a.md green", "a.md red")
	r.wants("bob", "bob.md bob's")
	if report, err := r.index.HomeReport(t.Context(), "ann"); err != nil || report.Files != 2 || report.Sections != 3 || report.Large != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if n := r.tell("ann", allSteps, map[string][]string{"moved.md": {"red", "green"}, "c.md": nil}, 1); n != 0 {
		t.Errorf("of a file that was moved %d sections are missing", n)
	}
	r.wants("ann", "moved.md green", "moved.md red")
	r.tell("ann", allSteps, map[string][]string{"moved.md": {"green", "blue"}}, 2)
	r.wants("ann", "moved.md blue", "moved.md green")
	if left := sqlitetest.LookAt(t, r.index.o.Path, "SELECT text FROM section WHERE user = 'ann' ORDER BY text"); !slices.Equal(left, []string{"blue", "green"}) {
		t.Errorf("kept are %q", left)
	}
	if err := r.index.EraseUser(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	r.wants("ann")
	r.wants("bob", "bob.md bob's")
}

// TestAnUpdateThatIsCutShortIsMadeUpFor: after whatever step it was cut, the next one comes to the
// same.
func TestAnUpdateThatIsCutShortIsMadeUpFor(t *testing.T) {
	for steps := range 6 {
		r := newRig(t, "ann").run()
		r.read()
		r.tell("ann", allSteps, map[string][]string{"a.md": {"red", "green"}, "gone.md": {"grey"}}, 1)
		r.tell("ann", steps, map[string][]string{"a.md": {"blue", "green", "pink"}, "b.md": {"red"}}, 2)
		r.stop()
		r.run()
		r.read()
		r.tell("ann", allSteps, map[string][]string{"a.md": {"blue", "green", "pink"}, "b.md": {"red"}}, 2)
		r.wants("ann", "a.md blue", "a.md green", "a.md pink", "b.md red")
		if left := sqlitetest.LookAt(t, r.index.o.Path, "SELECT text FROM section ORDER BY text"); len(left) != 4 {
			t.Errorf("after %d steps kept are %q", steps, left)
		}
	}
}

// TestWhatNoWorkerTellsWhoHasSeenTheHomeIsRefused: in each case nothing is kept.
func TestWhatNoWorkerTellsWhoHasSeenTheHomeIsRefused(t *testing.T) {
	r := newRig(t, "ann").run()
	r.read()
	f, list := homeFile("a.md", 1, "red")
	other, otherList := homeFile("b.md", 1, "blue")
	for name, tell := range map[string]func(u *HomeUpdate) error{
		"a file twice": func(u *HomeUpdate) error {
			_, err := u.Files(t.Context(), []File{f, f})
			return err
		},
		"too many files": func(u *HomeUpdate) error {
			for i := range MaxFiles {
				u.named[fmt.Sprint(i)] = true
			}
			_, err := u.Files(t.Context(), []File{f})
			return err
		},
		"sections of a file that was not named": func(u *HomeUpdate) error {
			_, err := u.Sections(t.Context(), []File{f})
			return err
		},
		"a section that was not asked for": func(u *HomeUpdate) error {
			u.named["a.md"] = true
			_, err := u.Sections(t.Context(), []File{f})
			return errors.Join(err, u.Put(t.Context(), append(otherList, list...)))
		},
		"more sections while some are missing": func(u *HomeUpdate) error {
			u.named["a.md"], u.named["b.md"] = true, true
			_, err := u.Sections(t.Context(), []File{f})
			_, again := u.Sections(t.Context(), []File{other})
			return errors.Join(err, again)
		},
		"an end while some are missing": func(u *HomeUpdate) error {
			u.named["a.md"] = true
			_, err := u.Sections(t.Context(), []File{f})
			_, end := u.End(t.Context(), HomeReport{}, false)
			return errors.Join(err, end)
		},
	} {
		if err := tell(r.index.UpdateHome("ann")); !errors.Is(err, ErrUnexpected) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.wants("ann")
}

// TestMuchIsTakenOutLittleByLittle: whoever searches meanwhile waits for a few sections, and not
// for a file. Here the time of an update is over at once.
func TestMuchIsTakenOutLittleByLittle(t *testing.T) {
	r := newRig(t, "ann")
	var hours atomic.Int64
	r.index.o.Now = func() time.Time { return time.Unix(0, 0).Add(time.Duration(hours.Add(1)) * time.Hour) }
	r.run().read()
	var texts []string
	for i := range 2*removeBatch + 5 {
		texts = append(texts, fmt.Sprint("number ", i))
	}
	r.tell("ann", allSteps, map[string][]string{"a.md": texts, "b.md": texts[:1]}, 1)
	took := 0
	for left, more := len(texts), true; more; took++ {
		var err error
		if more, err = r.index.UpdateHome("ann").End(t.Context(), HomeReport{}, false); err != nil {
			t.Fatal(err)
		}
		found := len(r.inHome("ann"))
		if left-found > removeBatch {
			t.Errorf("%d of %d sections were taken out", left-found, left)
		}
		left = found
	}
	if took < 4 {
		t.Errorf("it took %d updates", took)
	}
	if files, err := r.index.Manifest(t.Context(), "ann"); err != nil || len(files) != 0 {
		t.Errorf("kept are %+v, %v", files, err)
	}
}

func TestASearchSaysWhatIsNotReadOfAHome(t *testing.T) {
	r := newRig(t, "ann").run()
	r.read()
	if _, err := r.index.UpdateHome("ann").End(t.Context(), HomeReport{Excess: 7}, false); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[Source]string{SourceHome: "7 of them", SourceTranscript: ""} {
		result, err := r.index.Search(t.Context(), Query{User: "ann", Text: "x", Source: source})
		if err != nil || !strings.Contains(result.Behind, want) || (want == "") != (result.Behind == "") {
			t.Errorf("%s: %q, %v", source, result.Behind, err)
		}
	}
}

// TestASearchSaysHowFarAHomeHasBeenRead: before its first update, while that goes on in pieces, and
// no more after it.
func TestASearchSaysHowFarAHomeHasBeenRead(t *testing.T) {
	r := newRig(t, "ann").run()
	r.read()
	says := func(want string) {
		t.Helper()
		for _, source := range []Source{SourceHome, SourceBoth, SourceTranscript} {
			result, err := r.index.Search(t.Context(), Query{User: "ann", Text: "red", Source: source})
			if err != nil || source != SourceTranscript && result.Behind != want || source == SourceTranscript && result.Behind != "" {
				t.Errorf("%q: %q, %v, want %q", source, result.Behind, err, want)
			}
		}
	}
	says(textHomeUnread)
	r.tell("ann", 3, map[string][]string{"a.md": {"red"}}, 1)
	says(fmt.Sprintf(textHomeReading, 1))
	if found := r.inHome("ann"); len(found) != 1 {
		t.Errorf("of what has been read %q is found", found)
	}
	r.tell("ann", allSteps, map[string][]string{"a.md": {"red"}}, 1)
	says("")
}

// TestWhatThePowerTookIsMadeUpFor puts back the index as it was before its last commits, which may
// not be on the disk.
func TestWhatThePowerTookIsMadeUpFor(t *testing.T) {
	r := newRig(t, "ann").run()
	forgotten := r.say("ann", protocol.RoleUser, "garden zyzzyva")
	r.tell("ann", allSteps, map[string][]string{"a.md": {"red", "green"}, "gone.md": {"grey"}}, 1)
	r.read()
	r.stop()
	before, err := os.ReadFile(r.index.o.Path)
	if err != nil {
		t.Fatal(err)
	}
	again := func() {
		r.index = New(r.index.o)
		r.run().read()
	}
	again()
	r.change("DELETE FROM message WHERE id = %d", forgotten)
	if err := r.index.RemoveMessages(t.Context(), "ann", []int64{forgotten}); err != nil {
		t.Fatal(err)
	}
	r.say("ann", protocol.RoleUser, "garden of the club")
	r.tell("ann", allSteps, map[string][]string{"a.md": {"blue"}, "new.md": {"red"}}, 2)
	r.read()
	r.stop()
	if err := errors.Join(os.WriteFile(r.index.o.Path, before, 0o600), os.RemoveAll(r.index.o.Path+"-wal")); err != nil {
		t.Fatal(err)
	}
	again()
	if found := r.search(Query{User: "ann", Text: "garden zyzzyva", Source: SourceTranscript}); len(found) != 1 || found[0].Text != "garden of the club" {
		t.Errorf("%+v", found)
	}
	r.wants("ann", "a.md green", "a.md red", "gone.md grey")
	r.tell("ann", allSteps, map[string][]string{"a.md": {"blue"}, "new.md": {"red"}}, 2)
	r.wants("ann", "a.md blue", "new.md red")
	if left := r.left("grey"); len(left) > 0 {
		t.Errorf("left is %q", left)
	}
}

// TestNothingIsLeftOfAPersonWhoseFilesHadNoWords: who was deleted while the index was closed, so
// that nobody told it.
func TestNothingIsLeftOfAPersonWhoseFilesHadNoWords(t *testing.T) {
	r := newRig(t, "ann", "bob").run()
	r.tell("bob", allSteps, map[string][]string{"zyzzyva.md": nil}, 1)
	r.stop()
	r.people = r.people[:1]
	r.change("DELETE FROM conversation WHERE user = 'bob'")
	r.index = New(r.index.o)
	r.run().read()
	if left := r.left("zyzzyva"); len(left) > 0 {
		t.Errorf("left is %q", left)
	}
}

func BenchmarkReconcileUnchanged(b *testing.B) {
	r := newRig(b, "ann").run()
	r.read()
	var pages [][]File
	u := r.index.UpdateHome("ann")
	for i := range 20 {
		var page []File
		for n := range 500 {
			f, _ := homeFile(filepath.Join("notes", fmt.Sprint(i), fmt.Sprint(n, ".md")), 1)
			page = append(page, f)
		}
		pages = append(pages, page)
		if _, err := u.Files(b.Context(), page); err != nil {
			b.Fatal(err)
		}
		if _, err := u.Sections(b.Context(), page); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		u := r.index.UpdateHome("ann")
		for _, page := range pages {
			if differing, err := u.Files(b.Context(), page); err != nil || len(differing) > 0 {
				b.Fatal(differing, err)
			}
		}
		if _, err := u.End(b.Context(), HomeReport{}, false); err != nil {
			b.Fatal(err)
		}
	}
}
