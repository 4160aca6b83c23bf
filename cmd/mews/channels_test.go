package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayNameChannels are the files and folders that may name a channel, each with the reason. A path
// that ends in a slash is a folder.
var mayNameChannels = map[string]string{
	"supervisor/conversation.go":      "the table of what channels can",
	"supervisor/telegram/":            "Telegram's own package",
	"supervisor/control/":             "the terminal's own package",
	"supervisor/app/telegram.go":      "makes Telegram's channel",
	"supervisor/app/configuration.go": "reads the accounts and groups of the configuration's telegram keys",
	"supervisor/admin/people.go":      "lists Telegram's accounts in a field of their own",
}

// TestSource_ComparesNoChannelNames: no code compares a channel's name with a constant. Only the
// files and folders of mayNameChannels have such constants.
func TestSource_ComparesNoChannelNames(t *testing.T) {
	root := moduleRoot(t)
	used := map[string]bool{}
	for _, side := range []string{"supervisor", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, side), func(path string, entry fs.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || strings.HasSuffix(entry.Name(), "test")):
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			found := channelsIn(t, path, nil)
			for allowed := range mayNameChannels {
				if allowed == name || strings.HasSuffix(allowed, "/") && strings.HasPrefix(name, allowed) {
					used[allowed] = used[allowed] || len(found) > 0
					found = slices.DeleteFunc(found, func(f string) bool { return !strings.HasSuffix(f, comparisonSuffix) || name != allowed })
				}
			}
			for _, f := range found {
				t.Errorf("%s:%s; make it a capability of supervisor/conversation.go", name, f)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for allowed := range mayNameChannels {
		if !used[allowed] {
			t.Errorf("%s names no channel any more", allowed)
		}
	}
}

// comparisonSuffix is the verb in a finding about a comparison: "a channel is compared with".
const comparisonSuffix = "is compared with"

// channelsIn lists the channels that a file names, with their lines. src has the same meaning as in
// parser.ParseFile.
func channelsIn(t *testing.T, path string, src any) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(n ast.Node, what, how string) {
		found = append(found, fmt.Sprintf("%d: %s %s", fset.Position(n.Pos()).Line, what, how))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if isChannel(n) {
				add(n, n.Name, "is named")
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				for _, side := range []ast.Expr{n.X, n.Y} {
					if isChannel(side) {
						add(n, "a channel", comparisonSuffix)
					}
				}
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				if isChannel(e) {
					add(e, "a channel", comparisonSuffix)
				}
			}
		}
		return true
	})
	return found
}

// isChannel reports whether an expression is a channel's constant, or its name as a literal.
func isChannel(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "ChannelTelegram" || e.Name == "ChannelTerminal"
	case *ast.SelectorExpr:
		return isChannel(e.Sel)
	case *ast.CallExpr:
		return len(e.Args) == 1 && isChannel(e.Args[0])
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text == "telegram" || text == "terminal"
	}
	return false
}

// TestChannelsIn_ChannelNameInCode_IsFound shows that TestSource_ComparesNoChannelNames can fail.
func TestChannelsIn_ChannelNameInCode_IsFound(t *testing.T) {
	const src = `package p
var a = c.Channel == supervisor.ChannelTelegram
var b = string(c.Channel) != "terminal"
var d = "telegram"
func f(c supervisor.Channel) { switch c { case ChannelTerminal: } }
`
	want := []string{"2: a channel is compared with", "2: ChannelTelegram is named", "3: a channel is compared with",
		"5: a channel is compared with", "5: ChannelTerminal is named"}
	if found := channelsIn(t, "p.go", src); !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}
