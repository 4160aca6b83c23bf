package files

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker"
	"mews/worker/workspace"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fixture is a folder with the family's tools over it.
type fixture struct {
	t     testing.TB
	dir   string
	tools map[string]worker.Tool
}

func newFixture(t testing.TB, policy protocol.FilePolicy, files map[string]string) *fixture {
	t.Helper()
	d := &fixture{t: t, dir: t.TempDir(), tools: map[string]worker.Tool{}}
	for name, content := range files {
		d.put(name, content)
	}
	ws, err := workspace.Open(d.dir, policy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range Tools(ws, func() time.Time { return noon }, madrid) {
		d.tools[tool.Name] = tool
	}
	return d
}

func (d *fixture) path(name string) string { return filepath.Join(d.dir, name) }

func (d *fixture) put(name, content string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Chtimes(d.path(name), noon, noon); err != nil {
		d.t.Fatal(err)
	}
}

// content returns a file's content, or "(none)".
func (d *fixture) content(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(name))
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *fixture) call(tool, arguments string) (worker.Result, error) {
	return d.callWith(d.t.Context(), tool, arguments)
}

func (d *fixture) callWith(ctx context.Context, tool, arguments string) (worker.Result, error) {
	call := worker.Call{ID: "1", Arguments: json.RawMessage(arguments), Progress: func(string) {}}
	return d.tools[tool].Run(ctx, call)
}

// mustRun calls a tool that must succeed, and checks its text.
func (d *fixture) mustRun(tool, arguments, text string) worker.Result {
	d.t.Helper()
	r, err := d.call(tool, arguments)
	if err != nil {
		d.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if diff := cmp.Diff(text, r.Text); diff != "" {
		d.t.Fatalf("%s %s (- wanted, + said):\n%s", tool, arguments, diff)
	}
	if r.Brief == "" || strings.Contains(r.Brief, "\n") || len(r.Brief) > 100 {
		d.t.Fatalf("%s %s: brief %q", tool, arguments, r.Brief)
	}
	return r
}

// mustFail calls a tool that must fail, and checks parts of the error.
func (d *fixture) mustFail(tool, arguments string, says ...string) {
	d.t.Helper()
	r, err := d.call(tool, arguments)
	if err == nil {
		d.t.Fatalf("%s %s: worked, and said %q", tool, arguments, r.Text)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			d.t.Fatalf("%s %s: error %q does not say %q", tool, arguments, err, s)
		}
	}
}

func TestFileTools_SchemasAreSmallAndValid(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, nil)
	effects := map[string]protocol.ToolEffect{
		"append_file": protocol.EffectOnce, "delete_file": protocol.EffectOnce, "edit_file": protocol.EffectOnce,
		"get_time": protocol.EffectNone, "list_files": protocol.EffectNone, "move_file": protocol.EffectOnce,
		"read_file": protocol.EffectNone, "search_files": protocol.EffectNone,
		"write_file": protocol.EffectIdempotent,
	}
	var all []protocol.Tool
	for name, effect := range effects {
		tool := d.tools[name]
		if tool.Effect != effect {
			t.Errorf("%s: effect %q, want %q", name, tool.Effect, effect)
		}
		all = append(all, tool.Tool)
		var schema struct {
			Type       string                    `json:"type"`
			Properties map[string]map[string]any `json:"properties"`
			Required   []string                  `json:"required"`
		}
		if err := protocol.ValidateRawJSON(tool.Schema); err != nil {
			t.Errorf("%s: schema: %v", name, err)
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s: schema %s: %v", name, tool.Schema, err)
		}
		for _, required := range schema.Required {
			if schema.Properties[required] == nil {
				t.Errorf("%s: %s is required and not described", name, required)
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	line, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("the nine tools take %d bytes", len(line)); len(line) > 4000 {
		t.Errorf("the nine tools take %d bytes of each request, at most 4000", len(line))
	}
}

func TestTools_BadArguments_AreRefused(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, nil)
	for name := range d.tools {
		d.mustFail(name, `{"surprise":1}`, name+": ", "surprise")
		d.mustFail(name, `[]`, name+": ")
	}
	d.mustFail("read_file", `{"path":3}`, `read_file: argument "path"`)
	for name, argument := range map[string]string{
		"read_file": "path", "write_file": "path", "append_file": "path", "edit_file": "path", "move_file": "from",
		"delete_file": "path", "list_files": "path",
	} {
		d.mustFail(name, `{"`+argument+`":"../x"}`, "use the path ../x: it leads out of the folder")
		if name != "list_files" {
			d.mustFail(name, `{}`, "the path is empty")
		}
	}
}

func TestGetTime_Zone_ShowsLocalTime(t *testing.T) {
	d := newFixture(t, protocol.FilePolicy{}, nil)
	d.mustRun("get_time", ``, "2026-11-20T13:00:00+01:00, Friday, Europe/Madrid (CET)")
	d.mustRun("get_time", `{"timezone":"Asia/Tokyo"}`, "2026-11-20T21:00:00+09:00, Friday, Asia/Tokyo (JST)")
	d.mustRun("get_time", `{"timezone":"UTC"}`, "2026-11-20T12:00:00Z, Friday, (UTC)")
	d.mustFail("get_time", `{"timezone":"../../etc/passwd"}`, "not known here")
}
