package main_test

import (
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// places are kinds of additions to Mews, such as a tool or a setting, and the number of files that
// each changes. Folder testdata/places has an example of each kind as an archive. A file of an
// archive is new, or has insertions into an existing file. A line that begins with + is inserted. A
// line that begins with a space names the position: it is the beginning of exactly one existing
// line, and insertions follow that line. By default, and after any other line, insertions go to the
// end. Tests are not counted.
var places = []struct {
	kind    string // name of the kind in the table of placesDocument
	archive string
	files   int
	used    int // number of further files, which use the addition
}{
	{kind: "a host call", archive: "host-call", files: 3},
	{kind: "a tool", archive: "tool", files: 2},
	{kind: "a slash command", archive: "slash-command", files: 2},
	{kind: "a key of the configuration", archive: "config-key", files: 2, used: 1},
	{kind: "an effect", archive: "effect", files: 1},
	{kind: "a table", archive: "table", files: 3},
	{kind: "a worker profile", archive: "worker-profile", files: 1},
	{kind: "a capability", archive: "capability", files: 9},
}

// placesDocument has the table for contributors. It has a row for each entry of places.
const placesDocument = ".github/CONTRIBUTING.md"

// TestExampleAdditions_TakeFewFiles makes an addition of each kind in a copy of the tree. It
// type-checks the copy with the added tests, and counts the changed files.
func TestExampleAdditions_TakeFewFiles(t *testing.T) {
	tree, tested := copyWithPlaces(t)
	for i, err := range typeErrors(t, tree, tested) {
		if i == 20 {
			t.Fatal("and more")
		}
		t.Error(err)
	}
}

// testedPackages have tests that show that the additions work, or tests with complete lists, which
// must not need a change.
var testedPackages = []string{
	"./protocol/...", "./config", "./worker/serve", "./worker/tool/files", "./worker/tool/send", "./supervisor/app",
	"./supervisor/approval", "./supervisor/command", "./supervisor/counter", "./supervisor/hostcall",
	"./supervisor/pool",
	"./supervisor/sqlite", "./supervisor/whoami", "./cmd/mews", "./cmd/mews/places",
}

// shownTests are the beginnings of the names of tests that show that the additions work.
var shownTests = []string{
	"TestPlaceOf", "TestCapability_", "TestFeatures_", "TestHostCalls_", "TestLayers_EachImport_IsAllowed",
	"TestLayers_EachRow_",
	"TestMethods_EachOne_IsDocumented", "TestExample", "TestConfigStruct_FieldTags_AreValid",
	"TestLoad_EmptyFile_HasDefaults", "TestLoad_WholeFile_SetsEveryKey",
	"TestTools_AtHello_AreInFixedOrder", "TestTools_ChangeAfterHello_", "TestFileTools_SchemasAreSmallAndValid",
	"TestMenu_FitsBotAPILimits", "TestHelp_Overview_ListsEveryCommand", "TestMigrations_Released_",
	"TestForgetTable_", "TestEraseAndExport_EveryTable_IsCovered", "TestEraseUser_TwoUsers_DeletesOnlyOne",
}

// TestExampleAdditions_ShownTests_Exist finds entries of shownTests that match no test.
func TestExampleAdditions_ShownTests_Exist(t *testing.T) {
	tree, _ := copyWithPlaces(t)
	var tests strings.Builder
	err := filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shownTests {
		if !strings.Contains(tests.String(), "\nfunc "+name) {
			t.Errorf("no test's name begins with %s: change it in placesShown", name)
		}
	}
}

// TestExampleAdditions_Built_PassTheirTests builds the copy and runs its tests. MEWS_PLACES=1 tests
// all packages, otherwise only one package.
func TestExampleAdditions_Built_PassTheirTests(t *testing.T) {
	tree, _ := copyWithPlaces(t)
	tested := []string{"./config"}
	if os.Getenv("MEWS_PLACES") != "" {
		runIn(t, tree, "go", "build", "./...")
		tested = testedPackages
	}
	shown := "^(" + strings.Join(shownTests, "|") + ")"
	runIn(t, tree, "go", append([]string{"test", "-run", shown}, tested...)...)
}

// copyWithPlaces makes an addition of each kind in a copy of the tree, and checks the number of
// changed files. It returns the copy's folder and the packages with added tests.
func copyWithPlaces(t *testing.T) (tree string, tested []string) {
	t.Helper()
	tree = t.TempDir()
	copyTree(t, moduleRoot(t), tree)
	add := func(archive *txtar.Archive) (touched []string) {
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, "_test.go") {
				tested = append(tested, path.Join("mews", path.Dir(file.Name)))
			}
		}
		return addTo(t, tree, archive)
	}
	for _, place := range places {
		touched := add(readPlace(t, place.archive))
		if len(touched) != place.files+place.used {
			t.Errorf("%s takes %d files, want %d, and %d where it is used: %q",
				place.kind, len(touched), place.files, place.used, touched)
		}
	}
	add(readPlace(t, "shown"))
	return tree, tested
}

// TestExampleAdditions_Manual_ListsFiles checks the table for contributors. Each row must have the
// number of files, the existing files, and the folders of new files.
func TestExampleAdditions_Manual_ListsFiles(t *testing.T) {
	root := moduleRoot(t)
	document, err := os.ReadFile(filepath.Join(root, placesDocument))
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range places {
		line := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %s \| %d \| (.*) \|$`, place.kind, place.files))
		row := line.FindStringSubmatch(string(document))
		if row == nil {
			t.Errorf("%s does not say that %s takes %d files", placesDocument, place.kind, place.files)
			continue
		}
		var named, want []string
		for _, path := range regexp.MustCompile("`([^`]*/[^`]*)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, path[1])
		}
		for _, file := range readPlace(t, place.archive).Files {
			switch _, err := os.Stat(filepath.Join(root, file.Name)); {
			case strings.HasSuffix(file.Name, "_test.go"):
			case err == nil:
				want = append(want, file.Name)
			default:
				want = append(want, path.Dir(file.Name)+"/")
			}
		}
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(slices.Sorted(slices.Values(named)), want) {
			t.Errorf("%s has %q for %s, want %q", placesDocument, named, place.kind, want)
		}
	}
}

func readPlace(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "places", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// copyTree copies the module's files and its tests' data into an empty folder.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case name != "." && strings.HasPrefix(name, "."), name == "bin":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addTo adds an archive's files to a tree, and returns the added files that are no tests.
func addTo(t *testing.T, tree string, archive *txtar.Archive) (touched []string) {
	t.Helper()
	migrations, err := filepath.Glob(filepath.Join(tree, "supervisor/sqlite/migration/*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		name := strings.Replace(file.Name, "NEXT_", fmt.Sprintf("%04d_", len(migrations)+1), 1)
		text, at := string(file.Data), filepath.Join(tree, name)
		if old, err := os.ReadFile(at); err == nil {
			if text, err = insertInto(string(old), text); err != nil {
				t.Fatalf("%s of testdata/places: %v", name, err)
			}
		}
		if strings.HasSuffix(name, ".go") {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				t.Fatalf("%s with what testdata/places adds: %v", name, err)
			}
			text = string(formatted)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			touched = append(touched, name)
		}
	}
	return touched
}

// insertInto makes the insertions of an archive's file in a text.
func insertInto(text, insertions string) (string, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := len(lines)
	for _, line := range strings.Split(strings.TrimSuffix(insertions, "\n"), "\n") {
		if added, ok := strings.CutPrefix(line, "+"); ok {
			lines = slices.Insert(lines, at, added)
			at++
			continue
		}
		at = len(lines)
		if !strings.HasPrefix(line, " ") {
			continue
		}
		anchor, found := collapseSpaces(line), 0
		for i, line := range lines {
			if strings.HasPrefix(collapseSpaces(line), anchor) {
				at = i + 1
				found++
			}
		}
		if found != 1 {
			return "", fmt.Errorf("%d lines begin with %q, want 1: name another line to insert behind", found, anchor)
		}
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// collapseSpaces replaces each run of white space by one space, and trims the line.
func collapseSpaces(line string) string { return strings.Join(strings.Fields(line), " ") }

// TestInsertInto_EachPatchForm_IsInserted tries each form of insertion, and an insertion without a
// target.
func TestInsertInto_EachPatchForm_IsInserted(t *testing.T) {
	const text = "a {\n\tb   = 1\n}\nc\n"
	for insertions, want := range map[string]string{
		" b = \n+\tx\n+\ty": "a {\n\tb   = 1\n\tx\n\ty\n}\nc\n",
		"At the end:\n+d":   text + "d\n",
		"+d\n a {\n+\tx":    "a {\n\tx\n\tb   = 1\n}\nc\nd\n",
		" z\n+x":            `0 lines begin with "z", want 1: name another line to insert behind`,
	} {
		got, err := insertInto(text, insertions)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", insertions, got, want)
		}
	}
}

// runIn runs a program in the copy. It compiles with the flags of `make build`, so that the build
// cache helps.
func runIn(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s in a copy of the tree to which one of each was added: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
