// Command draw prints random names, comments and texts of the tree for a reader who has not seen
// them. The reader should understand at least 95 of 100 at once. The same seed and tree give the
// same drawing.
//
//	go -C .ci run ./draw SEED
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Numbers of drawn names, comments and texts.
const (
	drawnNames    = 100
	drawnComments = 100
	drawnTexts    = 60
)

// found holds the names, comments and texts of a tree, each as one line, in the order of the tree's
// files.
type found struct{ names, comments, texts []string }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "which seed? draw SEED")
		os.Exit(2)
	}
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err == nil {
		var all found
		if err = all.read(".."); err == nil {
			lots := rand.New(rand.NewPCG(seed, 0))
			show("names", all.names, drawnNames, lots)
			show("comments", all.comments, drawnComments, lots)
			show("texts for people", all.texts, drawnTexts, lots)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "draw:", err)
		os.Exit(1)
	}
}

func show(title string, all []string, most int, lots *rand.Rand) {
	fmt.Printf("# %d of %d %s\n\n", min(most, len(all)), len(all), title)
	for i, at := range lots.Perm(len(all))[:min(most, len(all))] {
		fmt.Printf("%d. %s\n", i+1, all[at])
	}
	fmt.Println()
}

// read adds the names, comments and texts of all Go files below a folder.
func (f *found) read(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		return f.add(name, string(source))
	})
}

// add adds the names, comments and texts of one file.
func (f *found) add(name, source string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	lines := strings.Split(source, "\n")
	for _, group := range file.Comments {
		if text := strings.Join(strings.Fields(group.Text()), " "); text != "" {
			begin, end := fset.Position(group.Pos()).Line, fset.Position(group.End()).Line
			about := lines[begin-1]
			if strings.HasPrefix(strings.TrimSpace(about), "//") && end < len(lines) {
				about = lines[end]
			}
			f.comments = append(f.comments, fmt.Sprintf("%s:%d: %s\n       %s", name, begin, text, strings.TrimSpace(about)))
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.name(name, d.Name.Name, receiver(d))
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					f.name(name, spec.Name.Name, "")
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						f.name(name, id.Name, "")
					}
				}
			}
		}
	}
	if strings.HasPrefix(filepath.Base(name), "texts") && !strings.HasSuffix(name, "_test.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			text, whole := literalText(n)
			if words := verbs.ReplaceAllString(text, ""); whole && strings.Contains(text, " ") && word.MatchString(words) {
				f.texts = append(f.texts, fmt.Sprintf("%s: %q", name, text))
			}
			return !whole
		})
	}
	return nil
}

// A text for people has a word besides the verbs of its format.
var (
	verbs = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)
	word  = regexp.MustCompile(`\pL{2}`)
)

// literalText returns the text of a string literal, or of several that are added. whole is false
// for any other node.
func literalText(n ast.Node) (text string, whole bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, n.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, first := literalText(n.X)
		right, second := literalText(n.Y)
		return left + right, n.Op == token.ADD && first && second
	}
	return "", false
}

// name adds a name that readers of other files meet: an exported one or a test's.
func (f *found) name(file, name, receiver string) {
	if ast.IsExported(name) {
		f.names = append(f.names, filepath.Dir(file)+"."+receiver+name)
	}
}

// receiver is the name of a method's type, with a full stop; "" if it is a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.Ident:
			return t.Name + "."
		default:
			return ""
		}
	}
}
