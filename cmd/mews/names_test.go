package main_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the questions of testdata/names are drawn by. Its README says how they are asked and what
// counts.
const (
	namesSeed        = "mews names 1"
	namedIdentifiers = 150
	namedFiles       = 50
	leastNames       = 180 // questions that must be left; fewer are drawn anew
)

// notAsked are names whose meaning Go or the name itself has settled.
var notAsked = regexp.MustCompile(`^(_|init|main|New|Run|Close|String|GoString|Error|Unwrap|Is|Read|Write|Len|Less|Swap|ServeHTTP|` +
	`(Unm|M)arshal(JSON|Text|YAML)|MarshalLog|(doc|main|main_linux|texts.*)\.go|go\.(mod|sum)|LICENSE|README\.md|Makefile|\.gitignore)$`)

// TestNames holds the kept questions to the tree: what they ask about is still there, and each has
// four meanings and one key. With MEWS_NAMES=folder it draws, too, and writes questions without
// meanings and their key there.
func TestNames(t *testing.T) {
	tree := namesIn(t, moduleRoot(t))
	if folder := os.Getenv("MEWS_NAMES"); folder != "" {
		drawNames(t, tree, folder)
	}
	questions, err := os.ReadFile("testdata/names/questions.md")
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile("testdata/names/key.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faultsOfNames(string(questions), string(key), tree) {
		t.Error(fault)
	}
}

// TestNamesAreHeld: the test above can fail.
func TestNamesAreHeld(t *testing.T) {
	question := func(n int, name string) string {
		return fmt.Sprintf("## %d. `%s`\n\n- A: a\n- B: b\n- C: c\n- D: d\n\n", n, name)
	}
	var questions, key string
	tree := map[string]string{}
	for n := range leastNames {
		name := fmt.Sprintf("supervisor/inbox.name%d", n)
		tree[name] = "func"
		questions += question(n, name)
		key += fmt.Sprintln(n, "B")
	}
	cut := strings.Replace(questions, "- C: c\n", "", 1)
	for _, test := range []struct{ name, questions, key, want string }{
		{"whole", questions, key, ""},
		{"renamed", strings.Replace(questions, "name7`", "other`", 1), key, "supervisor/inbox.other is not in the tree"},
		{"a meaning short", cut, key, "question 0: 3 meanings"},
		{"no key", questions, strings.Replace(key, "5 B\n", "", 1), "question 5: the key has \"\""},
		{"two letters", questions, strings.Replace(key, "\n5 B\n", "\n5 BC\n", 1), "question 5: the key has \"BC\""},
		{"no question", questions, key + "999 A\n", "the key has 999"},
		{"twice", questions + question(3, "supervisor/inbox.name3"), key, "question 3 is there twice"},
		{"too few", strings.TrimPrefix(questions, question(0, "supervisor/inbox.name0")), strings.TrimPrefix(key, "0 B\n"), "179 questions"},
	} {
		faults := faultsOfNames(test.questions, test.key, tree)
		if got := strings.Join(faults, "; "); len(faults) > 1 || !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

var (
	aQuestion = regexp.MustCompile("(?m)^## ([0-9]+)\\. `(.+)`$")
	aMeaning  = regexp.MustCompile(`(?m)^- [A-D]: .+$`)
	aKey      = regexp.MustCompile(`(?m)^([0-9]+) (.*)$`)
)

// faultsOfNames says how questions and key differ from each other and from the tree.
func faultsOfNames(questions, key string, tree map[string]string) (faults []string) {
	letters := map[string]string{}
	for _, row := range aKey.FindAllStringSubmatch(key, -1) {
		letters[row[1]] = row[2]
	}
	asked := map[string]bool{}
	at := aQuestion.FindAllStringSubmatchIndex(questions, -1)
	for i, m := range at {
		end := len(questions)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		number, name := questions[m[2]:m[3]], questions[m[4]:m[5]]
		switch meanings := len(aMeaning.FindAllString(questions[m[0]:end], -1)); {
		case asked[number]:
			faults = append(faults, fmt.Sprintf("question %s is there twice", number))
		case tree[name] == "":
			faults = append(faults, fmt.Sprintf("%s is not in the tree: if it has another name now, write that into question %s; "+
				"if it is gone, delete the question and its key", name, number))
		case meanings != 4:
			faults = append(faults, fmt.Sprintf("question %s: %d meanings, want A to D", number, meanings))
		case len(letters[number]) != 1 || !strings.Contains("ABCD", letters[number]):
			faults = append(faults, fmt.Sprintf("question %s: the key has %q, want one of A to D", number, letters[number]))
		}
		asked[number] = true
	}
	for _, number := range slices.Sorted(maps.Keys(letters)) {
		if !asked[number] {
			faults = append(faults, fmt.Sprintf("the key has %s, which no question has", number))
		}
	}
	if len(asked) < leastNames {
		faults = append(faults, fmt.Sprintf("%d questions, want at least %d: draw with MEWS_NAMES=folder go test ./cmd/mews -run 'TestNames$', "+
			"and write those that are not asked yet", len(asked), leastNames))
	}
	return faults
}

// drawNames writes the drawn names as questions without meanings, and the letters that the right
// meanings get.
func drawNames(t *testing.T, tree map[string]string, folder string) {
	t.Helper()
	hash := func(name any) [sha256.Size]byte { return sha256.Sum256(fmt.Appendf(nil, "%s %v", namesSeed, name)) }
	names := slices.SortedFunc(maps.Keys(tree), func(a, b string) int {
		x, y := hash(a), hash(b)
		return bytes.Compare(x[:], y[:])
	})
	var identifiers, files []string
	for _, name := range names {
		if tree[name] == aFile {
			files = append(files, name)
		} else {
			identifiers = append(identifiers, name)
		}
	}
	t.Logf("%d identifiers and %d files to draw from", len(identifiers), len(files))
	var questions, key bytes.Buffer
	for i, name := range slices.Concat(identifiers[:namedIdentifiers], files[:namedFiles]) {
		fmt.Fprintf(&questions, "## %d. `%s`\n\n```go\n%s\n```\n\n- A:\n- B:\n- C:\n- D:\n\n", i+1, name, tree[name])
		fmt.Fprintf(&key, "%d %c\n", i+1, 'A'+hash(i + 1)[0]%4)
	}
	for file, text := range map[string][]byte{"questions.md": questions.Bytes(), "key.txt": key.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const aFile = "file"

// namesIn has what the module declares at package level and its files, but for tests, fakes and
// what notAsked has. A declared name is written folder.Name or folder.Type.Method, and has its
// signature without comments.
func namesIn(t *testing.T, root string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, base := strings.TrimPrefix(path, root+"/"), entry.Name()
		kept := slices.Contains(topLevel, name) || strings.Contains(name, "/")
		switch {
		case path == root: // whatever the folder is called that the project lies in
			return nil
		case entry.IsDir() && (!kept || base == "testdata" || strings.HasSuffix(base, "test")):
			return fs.SkipDir
		case entry.IsDir(), !kept, strings.HasSuffix(base, "_test.go"):
			return nil
		}
		if !notAsked.MatchString(base) {
			tree[name] = aFile
		}
		if !strings.HasSuffix(base, ".go") || strings.HasPrefix(base, "texts") {
			return nil
		}
		return declaredIn(path, filepath.Dir(name), tree)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// declaredIn adds what the Go file at path, of the package in folder, declares.
func declaredIn(path, folder string, tree map[string]string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	add := func(receiver, name, keyword string, node any) error {
		if notAsked.MatchString(name) {
			return nil
		}
		var b bytes.Buffer
		err := format.Node(&b, fset, node)
		tree[folder+"."+receiver+name] = keyword + b.String()
		return err
	}
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			d.Body = nil
			if err := add(receiverOf(d), d.Name.Name, "", d); err != nil {
				return err
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					err = add("", s.Name.Name, "type ", s)
				case *ast.ValueSpec:
					shortened(s, d.Tok)
					for _, name := range s.Names {
						err = cmp.Or(err, add("", name.Name, d.Tok.String()+" ", s))
					}
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// shortened leaves of a variable its type, where its value names that, and of a constant a value
// that is no long text.
func shortened(s *ast.ValueSpec, declared token.Token) {
	if len(s.Values) != 1 {
		return
	}
	switch value := s.Values[0].(type) {
	case *ast.CompositeLit:
		s.Type, s.Values = value.Type, nil
	case *ast.CallExpr:
		if f, ok := value.Fun.(*ast.SelectorExpr); ok && typeOfCall[f.Sel.Name] != nil {
			s.Type, s.Values = typeOfCall[f.Sel.Name], nil
		}
	case *ast.BasicLit, *ast.BinaryExpr:
		if declared == token.CONST && s.End()-s.Values[0].Pos() > 60 {
			s.Values[0] = ast.NewIdent("…")
		}
	case *ast.FuncLit:
		s.Type, s.Values = value.Type, nil
	}
}

var typeOfCall = map[string]ast.Expr{"New": ast.NewIdent("error"), "MustCompile": ast.NewIdent("*regexp.Regexp")}

// receiverOf is the type that a method belongs to, with a dot; empty for a function.
func receiverOf(f *ast.FuncDecl) (name string) {
	if f.Recv == nil {
		return ""
	}
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name + "."
		}
		return true
	})
	return name
}
