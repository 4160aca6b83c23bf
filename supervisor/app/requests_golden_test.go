package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/model/modeltest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// goldenRequests compares requests with those that stand in testdata.
type goldenRequests struct {
	*testing.T
	dir   string
	shown map[string]string // definitions of tools that stand in a file already, and in which
	today string            // the machine's date, by which workers go
}

func newGoldenRequests(t *testing.T, dir string) *goldenRequests {
	return &goldenRequests{T: t, dir: filepath.Join("testdata", dir), shown: map[string]string{}, today: time.Now().UTC().Format(time.DateOnly)}
}

// same fails unless a request is the one in a file.
func (g *goldenRequests) same(name string, r modeltest.Request) {
	g.Helper()
	got, file := g.text(name, r), filepath.Join(g.dir, name+".golden")
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

// text is a request's body for people to read: a line each of its JSON and of the texts in it. A
// tool that stood in an earlier file is named alone.
func (g *goldenRequests) text(name string, r modeltest.Request) string {
	g.Helper()
	var body struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(r.Raw, &body); err != nil || len(body.Tools) != len(r.Tools) {
		g.Fatalf("%v: %s", err, r.Raw)
	}
	raw, lines := r.Raw, []string(nil)
	for i, tool := range body.Tools {
		placeholder := fmt.Sprintf("TOOL-%d", i)
		raw = bytes.Replace(raw, tool, []byte(`"`+placeholder+`"`), 1)
		line := string(tool)
		if at := g.shown[line]; at != "" {
			line = fmt.Sprintf("%s, as in %s.golden", r.Tools[i].Name, at)
		} else {
			g.shown[line] = name
		}
		lines = append(lines, `"`+placeholder+`"`, line)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		g.Fatal(err)
	}
	slices.Reverse(lines) // so that none is taken for the beginning of another
	for i := 0; i < len(lines); i += 2 {
		lines[i], lines[i+1] = lines[i+1], lines[i]
	}
	text := strings.NewReplacer(append(lines, `\n`, "\n    ", `\"`, `"`, g.today, "TODAY")...).Replace(pretty.String())
	return fmt.Sprintf("%d bytes\n%s\n", len(r.Raw), text)
}
