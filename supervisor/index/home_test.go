package index

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"
)

// testFile is a file of a test's home with its sections.
type testFile struct {
	HomeFile
	sections []Section
}

// file makes a file of sections, each "heading\ntext".
func file(path string, texts ...string) (f testFile) {
	f.HomeFile = HomeFile{Path: path, Hash: path, Modified: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	for i, t := range texts {
		sum := sha256.Sum256([]byte(t))
		hash := SectionHash(hex.EncodeToString(sum[:]))
		heading, text, _ := strings.Cut(t, "\n")
		f.Sections = append(f.Sections, SectionPosition{Hash: hash, Line: 1 + 10*i})
		f.sections = append(f.sections, Section{Hash: hash, Heading: heading, Text: text})
	}
	return f
}

// put stores a file in a user's home, and returns how many of its sections were missing.
func (r *rig) put(user string, f testFile, gone ...string) (missing int) {
	r.Helper()
	r.await("the index", func() bool { return r.index.reconciledDB() != nil })
	var hashes []SectionHash
	for _, p := range f.Sections {
		hashes = append(hashes, p.Hash)
	}
	list, err := r.index.MissingSections(r.Context(), user, hashes)
	if err == nil {
		err = r.index.PutSections(r.Context(), user, f.sections)
	}
	if err == nil {
		err = r.index.SetManifest(r.Context(), user, []HomeFile{f.HomeFile}, gone)
	}
	if err != nil {
		r.Fatal(err)
	}
	return len(list)
}

func (r *rig) headings(user, words string) (found []string) {
	for _, h := range r.search(Query{User: user, Text: words}) {
		found = append(found, h.Path+" "+h.Heading)
	}
	slices.Sort(found)
	return found
}

// A file's sections are found by their words, by their heading and by the file's name. They follow
// the file when it is moved, copied, changed and deleted, and known sections are not requested
// again. Other users do not find them.
func TestSearch_HomeFiles_AreFound(t *testing.T) {
	r := newRig(t, "alice", "bob").run()
	same := func(what, words string, want ...string) {
		t.Helper()
		if got := r.headings("alice", words); !slices.Equal(got, want) {
			t.Errorf("%s: %s is found in %q, want %q", what, words, got, want)
		}
	}
	if n := r.put("alice", file("garden/tomatoes.md", "Watering\nevery second evening", "Blight\ncopper spray, zyzzyva")); n != 2 {
		t.Errorf("%d sections are missing of a new file", n)
	}
	same("put", "evenings", "garden/tomatoes.md Watering")
	same("put", "gardens", "garden/tomatoes.md Blight", "garden/tomatoes.md Watering")
	if n := r.put("alice", file("balcony/plants.md", "Watering\nevery second evening", "Blight\ncopper spray, zyzzyva"), "garden/tomatoes.md"); n != 0 {
		t.Errorf("%d sections are missing of a moved file", n)
	}
	same("moved", "evening", "balcony/plants.md Watering")
	same("moved", "tomatoes")
	r.put("alice", file("a-copy.md", "Watering\nevery second evening"))
	same("copied", "evening", "a-copy.md Watering")
	r.put("alice", file("balcony/plants.md", "Watering\nevery second evening"), "a-copy.md")
	same("changed", "evening", "balcony/plants.md Watering")
	same("changed", "copper")
	if left := r.filesWith("zyzzyva"); len(left) > 0 {
		t.Errorf("what was taken out of a file is left: %q", left)
	}
	if got := r.headings("bob", "evening"); len(got) > 0 {
		t.Errorf("bob finds %q", got)
	}
	files, err := r.index.HomeManifest(t.Context(), "alice")
	if err != nil || len(files) != 1 || files[0].Path != "balcony/plants.md" || !files[0].Modified.Equal(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the manifest is %+v, %v", files, err)
	}
}

// Sections that were stored before a crash and have no file are deleted.
func TestRun_SectionsWithoutFile_AreDeleted(t *testing.T) {
	r := newRig(t, "alice").run()
	f := file("a.md", "Lost\nzyzzyva")
	r.put("alice", file("b.md", "Kept\nhere"))
	if err := r.index.PutSections(t.Context(), "alice", f.sections); err != nil {
		t.Fatal(err)
	}
	r.stop()
	r.index = New(r.index.o)
	r.run().waitUntilRead()
	r.await("the reconciling", func() bool {
		missing, err := r.index.MissingSections(t.Context(), "alice", []SectionHash{f.sections[0].Hash})
		return err == nil && len(missing) == 1
	})
	if got := r.headings("alice", "here"); !slices.Equal(got, []string{"b.md Kept"}) {
		t.Errorf("%q", got)
	}
}
