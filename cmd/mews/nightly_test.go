package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNightly_EachRow_NamesARealTest checks the table of long tests: without this test, a row with
// a wrong name would go unnoticed.
func TestNightly_EachRow_NamesARealTest(t *testing.T) {
	root := moduleRoot(t)
	table, err := os.ReadFile(filepath.Join(root, ".ci/nightly"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testFiles(t, root)
	seen := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(fields) != 5 {
			t.Errorf("%d fields, want 5: %s", len(fields), line)
			continue
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		name, folder := fields[0], strings.TrimPrefix(fields[1], "./")
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		checkDeclared(t, tests, name, folder, strings.Fields(fields[2]))
		for _, watched := range strings.Fields(fields[3]) {
			if _, err := os.Stat(filepath.Join(root, watched)); err != nil {
				t.Errorf("%s watches a folder that does not exist: %v", name, err)
			}
		}
	}
}

// checkDeclared checks that only one package declares a test, because all packages skip its name.
// It also checks that the package reads each variable of the full run.
func checkDeclared(t *testing.T, tests map[string]string, name, folder string, env []string) {
	t.Helper()
	for other, text := range tests {
		if is := strings.Contains(text, "\nfunc "+name+"(t *testing.T)"); is != (other == folder) {
			t.Errorf("%s is declared in %s: %t", name, other, is)
		}
	}
	if tests[folder] == "" {
		t.Errorf("%s: there are no tests in %s", name, folder)
	}
	for _, word := range env {
		variable, _, _ := strings.Cut(word, "=")
		if !strings.Contains(tests[folder], `"`+variable+`"`) {
			t.Errorf("%s: the tests in %s do not read %s", name, folder, variable)
		}
	}
}

// testFiles returns the text of all test files of each folder.
func testFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	tests := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		tests[filepath.Dir(strings.TrimPrefix(path, root+"/"))] += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
