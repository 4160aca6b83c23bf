package diff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/github/diff"
)

func TestSkipFilter_GeneratedFile_HasReason(t *testing.T) {
	skip := diff.NewSkipFilter([]byte(`# what git shows
*.gen.txt linguist-generated
docs/api/** linguist-generated=true
/vendor/ours/** -linguist-vendored
web/app.min.js linguist-generated=false
"with space.txt" -diff
*.dat binary
[attr]copied linguist-vendored -diff
lib/copy.go copied
/root.txt -diff
!not.txt -diff
folder/ -diff
`))
	for path, want := range map[string]string{
		"a.go":                        "",
		"go.sum":                      "lock file",
		"web/package-lock.json":       "lock file",
		"vendor/x/y.go":               "vendored",
		"a/node_modules/b/c.js":       "vendored",
		"vendor":                      "",
		"vendors.go":                  "",
		"vendor/ours/a.go":            "",
		"api/a.pb.go":                 "generated",
		"Form.Designer.cs":            "generated",
		"x.min.js":                    "minified",
		"web/app.min.js":              "",
		"a/b.gen.txt":                 "generated",
		"docs/api/a/b.md":             "generated",
		"x/docs/api/b.md":             "",
		"with space.txt":              "marked -diff in .gitattributes",
		"a/b.dat":                     "marked -diff in .gitattributes",
		"lib/copy.go":                 "vendored",
		"root.txt":                    "marked -diff in .gitattributes",
		"a/root.txt":                  "",
		"not.txt":                     "",
		"folder/a.txt":                "",
		"jquery-3.1.js":               "vendored",
		"src/jquery-plugin.js":        "",
		"testdata/fuzz/FuzzX/.idea/x": "generated",
	} {
		if got := skip(diff.File{Old: path, New: path}); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestSkipFilter_ObeysGitattributes(t *testing.T) {
	skip := diff.NewSkipFilter(nil)
	long := strings.Repeat("a=1;", 500)
	for text, want := range map[string]string{
		"diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n":                                             "binary",
		"diff --git a/lib b/lib\nnew file mode 160000\n":                                                                    "submodule",
		"diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -0,0 +1 @@\n+" + long + "\n":                                  "minified",
		"diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1,6 +1,7 @@\n a\n a\n a\n+" + long[:1000] + "\n a\n a\n a\n": "",
		"diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -0,0 +1 @@\n+" + long + "\n":                                  "",
		"diff --git a/a.js b/a.js\nold mode 100644\nnew mode 100755\n":                                                      "",
	} {
		if got := skip(parsed(t, text)[0]); got != want {
			t.Errorf("%.60s: %q, want %q", text, got, want)
		}
	}
}

// TestGitattributes_AgreeWithGit compares the attributes of paths with the attributes that git
// reports.
func TestGitattributes_AgreeWithGit(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 3))
	folder := t.TempDir()
	git(t, folder, nil, "init", "-q")
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	part := func() string {
		return pick("a", "b", "*", "?", "a*", "*.go", "a.go", "[ab]", "[!a]", "{a,b}", "**", `\a`, "x.{go}", "[a-c].go", "a b")
	}
	var paths []string
	for range 400 {
		path := pick("a", "b", "c", "x.{go}", "a b")
		for range random.IntN(4) {
			path += "/" + pick("a", "b", "ab", "b.go", "a.go", "{a,b}", "x.{go}", "a b")
		}
		paths = append(paths, path)
	}
	for round := range 20 {
		lines := []string{"[attr]both linguist-generated linguist-vendored"}
		for range 12 {
			pattern := pick("", "", "/", "**/") + part()
			for range random.IntN(3) {
				pattern += "/" + part()
			}
			if strings.Contains(pattern, " ") {
				pattern = fmt.Sprintf("%q", pattern)
			}
			pattern += pick("", "", "", "", "/", "/**")
			lines = append(lines, pattern+" "+pick("linguist-generated", "-linguist-generated", "!linguist-generated", "linguist-vendored",
				"-diff", "diff", "binary", "-binary", "both", "!both", "binary diff", "diff=go"))
		}
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(folder, ".gitattributes"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out := git(t, folder, strings.NewReader(strings.Join(paths, "\x00")+"\x00"), "check-attr", "-z", "--stdin",
			"linguist-generated", "linguist-vendored", "diff")
		skip := diff.NewSkipFilter([]byte(text))
		fields := strings.Split(string(out), "\x00")
		for i := 0; i+8 < len(fields); i += 9 {
			want := ""
			switch "set" {
			case fields[i+2]:
				want = "generated"
			case fields[i+5]:
				want = "vendored"
			}
			if want == "" && fields[i+8] == "unset" {
				want = "marked -diff in .gitattributes"
			}
			if got := skip(diff.File{New: fields[i]}); got != want {
				t.Errorf("round %d, %s: %q, and git says %q\n%s", round, fields[i], got, want, text)
			}
		}
	}
}

// git runs git in a folder, without a user's settings.
func git(tb testing.TB, folder string, stdin interface{ Read([]byte) (int, error) }, args ...string) []byte {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "git", args...)
	cmd.Dir = folder
	cmd.Env = gitEnv()
	cmd.Stdin = stdin
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	return out
}

func gitEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "LC_ALL=C")
}
