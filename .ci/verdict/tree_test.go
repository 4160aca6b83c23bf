package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree has the test file of each package of a small project, without the package clause and
// imports. No line in it begins with func, because other scripts find tests by such lines.
var tree = map[string]string{
	"ordinary": `
	func TestPasses(t *testing.T) {}`,

	"flaky": `
	func TestMarker(t *testing.T) {
		t.Run("sub test", func(t *testing.T) { once(t, "marker") })
	}
	func TestListed(t *testing.T) { once(t, "listed") }
	func TestPasses(t *testing.T) { t.Log("a seed, lost twice") }
	func once(t *testing.T, name string) {
		if _, err := os.Stat(name); err == nil {
			return
		}
		os.WriteFile(name, nil, 0o600)
		t.Error("no file | yet")
	}`,

	"broken": `
	func TestBroken(t *testing.T) { t.Error("broken"); fmt.Print("no newline") }`,

	"leak": `
	func TestMain(m *testing.M) { m.Run(); fmt.Println("goleak: found a goroutine"); os.Exit(1) }
	func TestPasses(t *testing.T) {}`,

	"panics": `
	func TestFails(t *testing.T)  { t.Error("it fails") }
	func TestPanics(t *testing.T) { panic("at once") }`,

	"exits": `
	func TestFails(t *testing.T) { t.Error("it fails") }
	func TestExits(t *testing.T) { os.Exit(1) }`,

	"hangs": `
	func TestHangs(t *testing.T) { select {} }`,

	"unbuilt": `
	func TestUnbuilt(t *testing.T) { undefined() }`,

	"raced": `
	func TestRead(t *testing.T)  { fmt.Println("WARNING: DATA RACE") }
	func TestWrite(t *testing.T) { t.Error("it fails") }`,

	"names": `
	func TestKill_OneProcess(t *testing.T) { t.Error("replay with MEWS_KILL_SEED=42") }
	func TestTable(t *testing.T)           { t.Run("Crash", func(t *testing.T) { t.Error("it fails") }) }
	func FuzzParse(f *testing.F) {
		f.Add("")
		f.Fuzz(func(t *testing.T, s string) { t.Error("it fails") })
	}`,

	"prints": `
	func TestSeed(t *testing.T)  { t.Error("seed 42") }
	func TestRapid(t *testing.T) { t.Error("specify -run=\"TestRapid\" -rapid.failfile=\"x\" (or -rapid.seed=7)") }
	func TestMail(t *testing.T)  { t.Error("mail 3 is Lost") }
	func TestChild(t *testing.T) { t.Error("the worker said:\npanic: at once") }`,

	"worker/spawn/below": `
	func TestPlain(t *testing.T) { t.Error("it fails") }`,

	"skips": `
	func TestPasses(t *testing.T)  {}
	func TestSkipped(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Skip("not here") }) }
	func TestOptional(t *testing.T) { t.Skip("optional: it needs a key") }`,

	"many": many(maxReruns + 1),

	"long": `
	func TestLong(t *testing.T) {
		if os.Getenv("LONG") == "fails" {
			t.Error("replay with MEWS_LONG_SEED=9")
		}
	}
	func TestOther(t *testing.T) { t.Error("it must not run") }`,
}

// many returns the source of n failing tests.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\n\tfunc Test" + string(rune('A'+i)) + `(t *testing.T) { t.Error("it fails") }`)
	}
	return b.String()
}

// plant writes packages of the tree into a new project, and returns the project's folder.
func plant(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module mews\n\ngo 1.26\n")
	for _, name := range packages {
		write(t, filepath.Join(dir, name, "tree_test.go"), "package tree\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nvar _, _ = fmt.Print, os.Exit\n"+tree[name]+"\n")
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// events runs a project's tests and returns their results. Arguments may name packages; otherwise
// all packages run.
func events(t *testing.T, dir string, args ...string) *results {
	t.Helper()
	cmd := exec.Command("go", slices.Concat([]string{"test", "-json"}, args)...)
	cmd.Dir = dir
	text, _ := cmd.Output() // go test returns an error because tests fail
	all, err := readResults(bytes.NewReader(text), nil)
	if err != nil || len(all.packages) == 0 {
		t.Fatalf("%d packages; %v", len(all.packages), err)
	}
	return all
}

// ofTree lists the packages of the tree, except those in without.
func ofTree(without ...string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(tree)), func(name string) bool { return slices.Contains(without, name) })
}

var today = time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)
