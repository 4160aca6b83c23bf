package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxWordFiles limits the files of package supervisor. The package holds only shared types, and no
// code that works on them.
const maxWordFiles = 15

// forbiddenImports are packages that shared types do not need, such as packages with mutexes and
// parsers.
var forbiddenImports = []string{"sync", "context", "regexp", "strconv", "text/scanner", "mews/supervisor/"}

// parsingFunctions are functions that parse, by package.
var parsingFunctions = map[string][]string{
	"time": {"Parse", "LoadLocation"}, "json": {"Unmarshal", "NewDecoder"}, "fmt": {"Sscan", "Fscan"},
}

func TestWordPackages_HoldOnlyTypes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(moduleRoot(t), "supervisor", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		n++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range faultsOfWords(file) {
			t.Errorf("supervisor/%s: %s is no word: move it to the package that uses it, or to supervisor/internal",
				filepath.Base(name), what)
		}
	}
	if n == 0 || n > maxWordFiles {
		t.Errorf("%d files hold the words, want 1 to %d", n, maxWordFiles)
	}
}

// TestWordPackageRules_EachFault_IsFound tries the rules on a file that no package has.
func TestWordPackageRules_EachFault_IsFound(t *testing.T) {
	const source = `package p
import ("context"; "sync/atomic"; "time"; "mews/supervisor/internal/slots")
const TextHello = "hello"
var (TextBye = ""; text = 1)
func ParseIt() {}
func (T) ParseToo() { time.ParseInLocation("", "", nil) }
func Part() { time.Now() }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(faultsOfWords(file), " ")
	const want = "context sync/atomic mews/supervisor/internal/slots TextHello TextBye ParseIt ParseToo " +
		"time.ParseInLocation"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// faultsOfWords returns the imports, names and calls of a file that break the rules for package
// supervisor.
func faultsOfWords(file *ast.File) (faults []string) {
	for _, i := range file.Imports {
		imported, _ := strconv.Unquote(i.Path.Value) // can't fail: the parser has read the path
		for _, not := range forbiddenImports {
			if imported == not || strings.HasPrefix(imported, strings.TrimSuffix(not, "/")+"/") {
				faults = append(faults, imported)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if strings.HasPrefix(n.Name.Name, "Parse") {
				faults = append(faults, n.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if strings.HasPrefix(name.Name, "Text") {
					faults = append(faults, name.Name)
				}
			}
		case *ast.SelectorExpr:
			faults = append(faults, parsingCall(n)...)
		}
		return true
	})
	return faults
}

// parsingCall returns the parsing function that a selector calls; nil means that it calls none.
func parsingCall(s *ast.SelectorExpr) []string {
	pkg, ok := s.X.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, begin := range parsingFunctions[pkg.Name] {
		if strings.HasPrefix(s.Sel.Name, begin) {
			return []string{pkg.Name + "." + s.Sel.Name}
		}
	}
	return nil
}

// maxGlossary limits the words of a glossary.
const maxGlossary = 70

func TestGlossaries_NoWord_IsListedTwice(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"supervisor/doc.go", "worker/doc.go"} {
		text, err := os.ReadFile(filepath.Join(moduleRoot(t), name))
		if err != nil {
			t.Fatal(err)
		}
		rows := glossaryRow.FindAllStringSubmatch(string(text), -1)
		if lines := strings.Count(string(text), "\n//\t"); lines != len(rows) {
			t.Errorf("%s: %d of %d lines have no two spaces between word and meaning", name, lines-len(rows), lines)
		}
		if len(rows) == 0 || len(rows) > maxGlossary {
			t.Errorf("%s: %d words, want 1 to %d", name, len(rows), maxGlossary)
		}
		last := ""
		for _, row := range rows {
			word := strings.TrimSpace(row[1])
			if word <= last {
				t.Errorf("%s: %q stands behind %q", name, word, last)
			}
			if other, twice := seen[word]; twice {
				t.Errorf("%s: %q stands in %s too", name, word, other)
			}
			last, seen[word] = word, name
		}
	}
}

// glossaryRow matches a word and its meaning, with at least two spaces between them.
var glossaryRow = regexp.MustCompile(`(?m)^//\t(\S+(?: \S+)*) {2,}\S.*$`)
