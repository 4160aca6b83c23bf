package check_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/worker/check"
	"mews/worker/workspace"
)

type home struct {
	*testing.T
	dir   string
	files *workspace.Workspace
	seen  string
}

func newHome(t *testing.T) *home {
	h := &home{T: t, dir: t.TempDir()}
	var err error
	if h.files, err = workspace.Open(h.dir, protocol.FilePolicy{Exclude: []string{"secret"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.files.Close() })
	return h
}

func (h *home) write(name, text string) {
	h.Helper()
	path := filepath.Join(h.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		h.Fatal(err)
	}
}

func (h *home) checkFiles(pattern string, changes ...string) protocol.CheckResult {
	h.Helper()
	r, err := check.CompareFiles(h.Context(), h.files,
		protocol.CheckParameters{Files: pattern, Changes: changes, Seen: h.seen})
	if err != nil || r.Validate() != nil {
		h.Fatalf("%+v, %v, %v", r, err, r.Validate())
	}
	h.seen = r.Seen
	return r
}

func (h *home) expect(r protocol.CheckResult, met bool, found string) {
	h.Helper()
	if r.Met != met || r.Changed != met || r.Found != found {
		h.Errorf("it is %t, and changed %t, with %q; want %t with %q", r.Met, r.Changed, r.Found, met, found)
	}
}

// The first check reports nothing. Later checks report new, changed and deleted files.
func TestFileCheck_Changes_AreReported(t *testing.T) {
	h := newHome(t)
	h.write("notes/a.md", "a")
	h.write("other.txt", "no")
	h.write("secret", "no")
	h.expect(h.checkFiles("notes/**/*.md"), false, "")
	h.expect(h.checkFiles("notes/**/*.md"), false, "")
	h.write("notes/b/c.md", "c")
	h.write("notes/a.md", "longer")
	h.expect(h.checkFiles("notes/**/*.md"), true, "new: notes/b/c.md\nchanged: notes/a.md")
	if err := os.Remove(filepath.Join(h.dir, "notes/a.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(h.dir, "notes/b/c.md"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	h.expect(h.checkFiles("notes/**/*.md", "gone"), true, "gone: notes/a.md")
	h.write("notes/d.md", "d")
	// changes of other kinds are not reported
	h.expect(h.checkFiles("notes/**/*.md", "gone"), false, "")
}

// A folder that does not exist yet has no files. Links are not followed, and files that the rules
// hide are not seen.
func TestFileCheck_FoldersAndLinks_AreIgnored(t *testing.T) {
	h := newHome(t)
	h.expect(h.checkFiles("out/*"), false, "")
	h.write("out/a", "a")
	if err := os.Symlink("/etc/passwd", filepath.Join(h.dir, "out/link")); err != nil {
		t.Fatal(err)
	}
	h.expect(h.checkFiles("out/*"), true, "new: out/a")
	h.seen = ""
	h.checkFiles("secret*")
	h.write("secret", "changed")
	h.expect(h.checkFiles("secret*"), false, "")
}

// endlessHome is a home whose walk never ends.
type endlessHome struct{ *workspace.Workspace }

func (endlessHome) Walk(ctx context.Context, _ string, _ func(workspace.Entry) error) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// A pattern that few files match may need a walk through a large home. The walk's time is limited,
// and its error names the limit.
func TestFileCheck_EndlessWalk_TimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, err := check.CompareFiles(t.Context(), endlessHome{}, protocol.CheckParameters{Files: "**/none"})
		if took := time.Since(begun); took != protocol.MaxCheckSeconds*time.Second || err == nil || err.Error() != "the look took longer than 120 s" {
			t.Errorf("after %v: %v", took, err)
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the service ends")
	cancel(why)
	h := newHome(t)
	h.write("a/b", "b")
	if _, err := check.CompareFiles(ctx, h.files, protocol.CheckParameters{Files: "**/none"}); !errors.Is(err, why) {
		t.Errorf("a walk in what has ended: %v", err)
	}
}

func TestFileCheck_ManyChanges_CutsNames(t *testing.T) {
	h := newHome(t)
	h.checkFiles("many/*")
	for i := range protocol.MaxCheckChangeNames + 5 {
		h.write(fmt.Sprintf("many/%03d-%s", i, strings.Repeat("n", 150)), "")
	}
	r := h.checkFiles("many/*")
	if lines := strings.Split(r.Found, "\n"); len(lines) != protocol.MaxCheckChangeNames+1 ||
		lines[len(lines)-1] != "and 5 more are new" {
		t.Errorf("it has %q", r.Found)
	}
	for i := range protocol.MaxCheckFiles {
		h.write(fmt.Sprintf("more/%d", i), "")
	}
	if _, err := check.CompareFiles(t.Context(), h.files, protocol.CheckParameters{Files: "**"}); err == nil ||
		!strings.Contains(err.Error(), "more than 2000 files") {
		t.Errorf("of too many: %v", err)
	}
	for _, pattern := range []string{"[", "../*", "/etc/*", "{a,{b,{c,{d,{e,{f,{g,{h,{i,j}}}}}}}}}"} {
		if r, err := check.CompareFiles(t.Context(), h.files, protocol.CheckParameters{Files: pattern}); err == nil &&
			r.Seen != "{}" {
			t.Errorf("%s has %+v", pattern, r)
		}
	}
}

// fakeShell is a Shell whose commands all write the same output.
type fakeShell struct {
	text string
	ok   bool
	err  error
}

func (p fakeShell) RunCheckCommand(_ context.Context, _ string, out io.Writer) (bool, error) {
	for len(p.text) > 0 {
		n := min(1000, len(p.text))
		if _, err := io.WriteString(out, p.text[:n]); err != nil {
			return false, err
		}
		p.text = p.text[n:]
	}
	return p.ok, p.err
}

// The result has the end of the output in whole lines. The digest covers the whole output.
func TestCommandCheck_Output_KeepsEndAndDigest(t *testing.T) {
	long := strings.Repeat("a line of it\n", 1000)
	run := func(p fakeShell, seen string) protocol.CheckResult {
		r, err := check.RunCommand(t.Context(), p, protocol.CheckParameters{Command: "x", Seen: seen})
		if err != nil || r.Validate() != nil {
			t.Fatalf("%v, %v", err, r.Validate())
		}
		return r
	}
	first := run(fakeShell{text: "first\n" + long, ok: true}, "")
	if !first.Met || !first.Changed || len(first.Found) > protocol.MaxCheckFoundBytes ||
		strings.Trim(strings.ReplaceAll(first.Found, "a line of it", ""), "\n") != "" {
		t.Errorf("found %d bytes: %.40q", len(first.Found), first.Found)
	}
	if again := run(fakeShell{text: "first\n" + long}, first.Seen); again.Met || again.Changed {
		t.Errorf("the same again: %+v", again)
	}
	if other := run(fakeShell{text: "other\n" + long}, first.Seen); !other.Changed {
		t.Error("what is at its beginning counts too")
	}
	if odd := run(fakeShell{text: "\xff\x00ok\n"}, ""); odd.Found != "ok" {
		t.Errorf("of no text: %q", odd.Found)
	}
	if _, err := check.RunCommand(t.Context(), fakeShell{err: errors.New("no bash")},
		protocol.CheckParameters{Command: "x"}); err == nil {
		t.Error("what can't be started is an error")
	}
}
