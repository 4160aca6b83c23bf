package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mews/config"
	"mews/supervisor/app"
)

// exampleKinds has a check for each kind of fenced block in README.md and the manual, by the word
// after the opening fence.
var exampleKinds = map[string]func(m *ownMews, block example) (faults []string){
	"chat":    (*ownMews).checkChat,
	"console": (*ownMews).checkConsole,
	"yaml":    checkYAML,
	"sh":      checkShell,
	"text":    func(*ownMews, example) []string { return nil },
}

// example is a fenced block.
type example struct {
	kind  string
	line  int // number of the line with the opening fence
	lines []string
}

// TestManual_Examples_BehaveAsShown checks the pages on the disk. MEWS_MANUAL names another folder
// of the manual; README.md is two folders above that folder.
func TestManual_Examples_BehaveAsShown(t *testing.T) {
	folder := os.Getenv("MEWS_MANUAL")
	if folder == "" {
		folder = "manual"
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages in %s, %v", len(pages), folder, err)
	}
	for _, page := range append(pages, filepath.Join(folder, "../../../README.md")) {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range faultsOfPage(t, string(text)) {
				t.Errorf("%s:%s", page, fault)
			}
		})
	}
}

func faultsOfPage(t testing.TB, text string) (faults []string) {
	t.Helper()
	m := newMews(t, "NO_COLOR=1")
	for _, block := range examplesOf(text) {
		check := exampleKinds[block.kind]
		if check == nil {
			faults = append(faults, fmt.Sprintf("%d: no kind of block is called %q", block.line, block.kind))
			continue
		}
		for _, fault := range check(m, block) {
			faults = append(faults, fmt.Sprintf("%d: %s: %s", block.line, block.kind, fault))
		}
	}
	return faults
}

// fence matches the first or last line of a block. A block in a list is indented.
var fence = regexp.MustCompile("^( *)(`{3,}|~{3,})(.*)$")

// examplesOf lists the blocks of a page. A block without a closing fence ends with the page.
func examplesOf(text string) (blocks []example) {
	indent, end := "", "" // indentation and closing fence of the current block
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case end == "" && m != nil:
			indent, end = m[1], m[2]
			blocks = append(blocks, example{kind: strings.TrimSpace(m[3]), line: i + 1})
		case end != "" && m != nil && strings.HasPrefix(m[2], end) && strings.TrimSpace(m[3]) == "":
			end = ""
		case end != "":
			b := &blocks[len(blocks)-1]
			b.lines = append(b.lines, strings.TrimPrefix(line, indent))
		}
	}
	return blocks
}

// exchange is a line that is typed, and the lines that a page shows below it.
type exchange struct {
	typed string
	shown []string
}

// exchanges cuts a block at the lines that begin with a prompt.
func (b example) exchanges(prompt string) (list []exchange, faults []string) {
	for _, line := range b.lines {
		typed, ok := strings.CutPrefix(line, prompt)
		switch {
		case ok && strings.TrimSpace(typed) != "":
			list = append(list, exchange{typed: typed})
		case len(list) > 0:
			last := &list[len(list)-1]
			last.shown = append(last.shown, line)
		case strings.TrimSpace(line) != "" && strings.TrimSpace(line) != skip:
			faults = append(faults, fmt.Sprintf("%q stands before the first %q", line, prompt))
		}
	}
	return list, faults
}

// checkChat types the lines to the page's Mews.
func (m *ownMews) checkChat(block example) []string {
	list, faults := block.exchanges("> ")
	for _, x := range list {
		if m.serve(); m.terminal == nil {
			m.open(500, 50, "chat")
		}
		if fault := faultOfShown(x.shown, m.say(x.typed)); fault != "" {
			faults = append(faults, "> "+x.typed+": "+fault)
		}
	}
	return faults
}

// checkConsole runs each command by bash, all in one folder of the page.
func (m *ownMews) checkConsole(block example) []string {
	list, faults := block.exchanges("$ ")
	for _, x := range list {
		m.serve()
		out, err := m.command("bash", "-c", x.typed).CombinedOutput()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
			m.t.Fatal(err)
		}
		if fault := faultOfShown(x.shown, strings.Split(string(out), "\n")); fault != "" {
			faults = append(faults, "$ "+x.typed+": "+fault)
		}
		faults = append(faults, faultsOfVerbs(x.typed)...)
	}
	return faults
}

// completions are the missing sections of an example configuration that mentions users or models
// without defining them.
var completions = map[string]string{
	"users": "users: [{name: ann, role: admin, telegram: 42}]\n",
	"models": "models: {default: local/qwen3, providers: {local: {kind: openai, " +
		"base_url: \"http://127.0.0.1:11434/v1\"}}}\n",
}

// userKey matches a user's name outside the list of users.
var userKey = regexp.MustCompile(`\buser: (\w+)`)

// completeConfig returns an example configuration with the completions that it needs.
func completeConfig(part string) string {
	text := part + "\n"
	for key, rest := range completions {
		if strings.Contains("\n"+part, "\n"+key+":") {
			continue
		}
		if m := userKey.FindStringSubmatch(part); m != nil && key == "users" {
			rest = strings.Replace(rest, "ann", m[1], 1)
		}
		text += rest
	}
	return text
}

// checkYAML loads an example configuration, completed if necessary. Every variable is set, and
// every named file exists.
func checkYAML(_ *ownMews, block example) []string {
	const file = "/etc/mews/mews.yaml"
	env := config.Env{Login: "ann", Home: "/home/ann", Cwd: "/home/ann", Effects: app.DefaultEffectRules(),
		Tainted: app.TaintedEffectRules(),
		Getenv:  secretFor}
	env.ReadFile = func(path string) ([]byte, error) {
		switch {
		case path == file:
			return []byte(completeConfig(strings.Join(block.lines, "\n"))), nil
		case !filepath.IsAbs(path):
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(secretFor(path) + "\n"), nil
	}
	if _, err := config.Load(file, env); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// secretFor returns a valid secret for a variable or a file of this name.
func secretFor(name string) string {
	if name = strings.ToLower(name); strings.Contains(name, "telegram") && strings.Contains(name, "token") {
		return "123456789:" + strings.Repeat("A", 35)
	}
	return strings.Repeat("5a", 32) // a key in hexadecimal digits
}

// checkShell makes bash parse the commands without running them.
func checkShell(_ *ownMews, block example) (faults []string) {
	commands := strings.Join(block.lines, "\n")
	if out, err := exec.Command("bash", "-n", "-c", commands).CombinedOutput(); err != nil {
		faults = append(faults, fmt.Sprintf("%v: %s", err, out))
	}
	return append(faults, faultsOfVerbs(commands)...)
}

// mewsCommand matches a command of mews, perhaps with variables or by sudo. The groups are its
// first two words.
var mewsCommand = regexp.MustCompile(`(?m)(?:^|[;&|(])[ \t]*((?:\w+=\S+ +|sudo +(?:-\w+ +\S+ +)*)*` +
	`(?:\S*/)?mews +([a-z]\S*)(?: +([a-z]+)\b)?)`)

func faultsOfVerbs(commands string) (faults []string) {
	for _, m := range mewsCommand.FindAllStringSubmatch(commands, -1) {
		if why := faultOfMention(m[2], m[3]); why != "" && m[2] != "help" {
			faults = append(faults, m[1]+": "+why)
		}
	}
	return faults
}
