package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/model/modeltest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// goldenRequests compares requests to models with golden files. The file whole.golden has one whole
// request. The file messages.golden has the messages of chosen turns and the facts in their system
// texts, but neither prompts nor tools. So a new tool or prompt changes only whole.golden.
type goldenRequests struct {
	*testing.T
	dir    string
	today  string // today's date on the machine, which workers use
	first  requestParts
	name   string   // name of the first scene
	before []string // the messages in the request of the previous scene
	scenes strings.Builder
}

func newGoldenRequests(t *testing.T, dir string) *goldenRequests {
	return &goldenRequests{T: t, dir: filepath.Join("testdata", dir), today: time.Now().UTC().Format(time.DateOnly)}
}

// requestParts is a request's JSON, in parts.
type requestParts struct {
	prompt   string   // the system text without prompt files
	facts    []string // contents of the prompt files in the system text
	messages []json.RawMessage
	tools    []string
	options  string // all other parts of the request's JSON
}

// parts splits a request into its parts.
func (g *goldenRequests) parts(r modeltest.Request) (p requestParts) {
	g.Helper()
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal(r.Raw, &body); err != nil {
		g.Fatalf("%v: %s", err, r.Raw)
	}
	var tools []json.RawMessage
	if err := json.Unmarshal(body["messages"], &p.messages); err != nil {
		g.Fatal(err)
	}
	if err := json.Unmarshal(body["tools"], &tools); err != nil || len(tools) != len(r.Tools) {
		g.Fatalf("%d tools, want %d, %v", len(tools), len(r.Tools), err)
	}
	for _, tool := range tools {
		p.tools = append(p.tools, string(tool))
	}
	if _, own := body["system"]; own {
		// The system text may be a list with options, such as cache_control. Cut only the text out,
		// so that the options are compared as such. The method scene compares the text.
		text, err := json.Marshal(r.System)
		if err != nil {
			g.Fatal(err)
		}
		body["system"] = bytes.Replace(body["system"], text, []byte(`"TEXT"`), 1)
	} else {
		p.messages = p.messages[1:]
	}
	delete(body, "messages")
	delete(body, "tools")
	options, err := json.Marshal(body)
	if err != nil {
		g.Fatal(err)
	}
	p.options = string(options)
	sections := strings.Split(r.System, "========\n")
	for i := 1; i < len(sections); i += 2 {
		p.facts = append(p.facts, strings.TrimSpace(sections[i]))
	}
	paragraphs := strings.SplitN(r.System, "\n\n", 3) // the three parts: greeting, rules, prompt files
	p.prompt = strings.TrimSpace(strings.Join(paragraphs[:2], "\n\n"))
	return p
}

// scene adds the messages of a request to messages.golden. All other parts except the facts must
// equal those of the first scene, but tools may be added at the end. The argument differing has
// words of the prompt's lines that may differ: first the lines of the first scene, then the lines
// of this scene.
func (g *goldenRequests) scene(name string, r modeltest.Request, differing ...string) {
	g.Helper()
	p := g.parts(r)
	if g.name == "" {
		g.name, g.first = name, p
	}
	fmt.Fprintf(&g.scenes, "# %s\n", name)
	if p.options != g.first.options {
		g.Errorf("the options of %s are %s, and of %s %s", name, p.options, g.name, g.first.options)
	}
	g.checkPrompt(name, p.prompt, differing)
	if n := len(g.first.tools); len(p.tools) < n || !slices.Equal(p.tools[:n], g.first.tools) {
		g.Errorf("the tools of %s do not begin as those of %s: %s", name, g.name, p.tools)
	}
	for _, tool := range r.Tools[min(len(r.Tools), len(g.first.tools)):] {
		fmt.Fprintf(&g.scenes, "more tools: %s\n", tool.Name)
	}
	for _, fact := range p.facts {
		fmt.Fprintf(&g.scenes, "facts: %s\n", strings.ReplaceAll(g.readable(fact), "\n", "\n    "))
	}
	var lines []string
	for _, m := range p.messages {
		var line bytes.Buffer
		if err := json.Compact(&line, m); err != nil {
			g.Fatal(err)
		}
		text := manyOvens.ReplaceAllString(line.String(), "(oven many times) ")
		text = familyList.ReplaceAllString(g.readable(text), "$1 (LIST)")
		lines = append(lines, shortened.ReplaceAllString(text, "N bytes$1 HASH"))
	}
	same := 0
	for same < min(len(lines), len(g.before)) && lines[same] == g.before[same] {
		same++
	}
	if same > 0 {
		fmt.Fprintf(&g.scenes, "(%d messages as in the scene before)\n", same)
	}
	for _, line := range lines[same:] {
		fmt.Fprintln(&g.scenes, line)
	}
	g.before = lines
}

var (
	familyList = regexp.MustCompile(`(Families of tools, each opened by its name:)(\n +[a-z]+: [a-z_, ]+)+`)
	manyOvens  = regexp.MustCompile(`(oven ){50,}`)
	shortened  = regexp.MustCompile(`[0-9]+ bytes( left out here to make room; read_output \{"output":) "[0-9a-f]{64}"`)
)

// checkPrompt fails unless the prompt's lines that differ from the first prompt contain these
// words.
func (g *goldenRequests) checkPrompt(name, prompt string, differing []string) {
	g.Helper()
	was, is := strings.Split(g.first.prompt, "\n"), strings.Split(prompt, "\n")
	other := slices.DeleteFunc(slices.Clone(was), func(line string) bool { return slices.Contains(is, line) })
	other = append(other, slices.DeleteFunc(slices.Clone(is), func(line string) bool { return slices.Contains(was, line) })...)
	if !slices.EqualFunc(other, differing, strings.Contains) {
		g.Errorf("the prompts of %s and %s differ in %q, want lines with %q", g.name, name, other, differing)
	}
}

// readable expands line breaks and quotes in JSON strings, and hides today's date.
func (g *goldenRequests) readable(text string) string {
	return strings.NewReplacer(`\n`, "\n    ", `\"`, `"`, g.today, "TODAY").Replace(text)
}

// whole compares the whole body of a request with whole.golden, as JSON with a line for each tool.
func (g *goldenRequests) whole(r modeltest.Request) {
	g.Helper()
	raw, lines := r.Raw, []string(nil)
	for i, tool := range g.parts(r).tools {
		placeholder := fmt.Sprintf("TOOL-%d-", i)
		raw = bytes.Replace(raw, []byte(tool), []byte(`"`+placeholder+`"`), 1)
		lines = append(lines, `"`+placeholder+`"`, tool)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		g.Fatal(err)
	}
	g.same("whole", g.readable(strings.NewReplacer(lines...).Replace(pretty.String()))+"\n")
}

// end compares all scenes with messages.golden.
func (g *goldenRequests) end() {
	g.Helper()
	g.same("messages", g.scenes.String())
}

// same fails unless a text equals the golden file.
func (g *goldenRequests) same(name, got string) {
	g.Helper()
	file := filepath.Join(g.dir, name+".golden")
	if *updateGolden {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			g.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		g.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		g.Errorf("not as in %s (-want +got); -update writes it anew:\n%s", file, diff)
	}
}
