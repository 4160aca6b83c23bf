package charts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/tool/charts"
	"mews/worker/workspace"
)

// folder makes a user's folder with these files, and the tool over it.
func folder(t *testing.T, policy protocol.FilePolicy, files map[string]string) (dir string,
	plot func(arguments string) (worker.Result, error)) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, policy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	tool := charts.Tools(ws, time.UTC)[0]
	keep := func(context.Context, io.Reader, int64) (protocol.BlobRef, error) { return protocol.BlobRef{}, nil }
	return dir, func(arguments string) (worker.Result, error) {
		return tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(arguments),
			Progress:   func(string) {},
			KeepBefore: keep})
	}
}

func TestPlot_InlineSeries_BecomesFile(t *testing.T) {
	dir, plot := folder(t, protocol.FilePolicy{}, nil)
	const call = `{"kind":"line","title":"Gewicht im März!","y_label":"kg","series":[` +
		`{"name":"Alice","x":["2026-03-01","2026-03-08","2026-03-15"],"y":[71.5,null,"70.9"]}]}`
	r, err := plot(call)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "charts/gewicht-im-märz.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
	const described = "A line chart of 2 points in 1 series; y from 70.9 to 71.5, x from 2026-03-01 to 2026-03-15."
	if !strings.Contains(r.Text, described) || r.World || r.Brief != "1 series, 2 points" {
		t.Errorf("%+v", r)
	}
	if c := r.Changes[0]; c.Kind != "write" || c.Target != "charts/gewicht-im-märz.png" || c.Undo == nil ||
		c.Undo.Before != protocol.FileStateAbsent {
		t.Errorf("%+v, %+v", c, c.Undo)
	}
	if r, err = plot(call); err != nil || !strings.Contains(r.Text, "found to hold just this already") {
		t.Errorf("the same again: %+v, %v", r, err)
	}
	if r, err = plot(strings.Replace(call, "70.9", "80", 1)); err != nil ||
		r.Changes[0].Target != "charts/gewicht-im-märz-2.png" {
		t.Errorf("another one of the same name: %+v, %v", r, err)
	}
}

func TestPlot_CSVFile_IsRead(t *testing.T) {
	_, plot := folder(t, protocol.FilePolicy{}, map[string]string{
		"weight.csv":     "Day,kg,Note\n2026-01-01,71.5,\n2026-01-02,,ill\n2026-01-03,70.25,\n",
		"german.csv":     "\ufeffMonat;Strom;Gas;Wasser\nJanuar;1.234,5;2,000;1.5\nFebruar;1.100;1,5;1.25\n",
		"bare.csv":       "1\t10\n2\t20\n3\t15\n",
		"uploads/x.csv":  "a,b\n1,2\n2,3\n",
		"quoted.csv":     "\"city, state\",people\n\"Springfield, IL\",\"1,234\"\n\"Austin, TX\",\"2,000\"\n",
		"Ausgaben 1.csv": "was,euro\nBrot,3.5\nMilch,2\n",
	})
	for arguments, want := range map[string]string{
		`"csv":"weight.csv"`:                      "y from 70.25 to 71.5, x from 2026-01-01 to 2026-01-03",
		`"csv":"weight.csv","x":"day","y":["KG"]`: "2 points in 1 series",
		`"csv":"weight.csv","x":"1","y":["2"]`:    "2 points in 1 series",
		`"csv":"german.csv"`:                      "6 points in 3 series; y from 1.25 to 1234.5, x 2 texts",
		`"csv":"bare.csv"`:                        "3 points in 1 series; y from 10 to 20, x from 1 to 3",
		`"csv":"uploads/x.csv"`:                   "2 points in 1 series",
		`"csv":"quoted.csv"`:                      "2 points in 1 series; y from 1234 to 2000, x 2 texts",
		`"csv":"Ausgaben 1.csv"`:                  "2 points in 1 series; y from 2 to 3.5",
	} {
		r, err := plot(`{"kind":"bar","title":"x",` + arguments + `}`)
		if strings.Contains(want, "x from") {
			r, err = plot(`{"kind":"line","title":"x",` + arguments + `}`)
		}
		if err != nil || !strings.Contains(r.Text, want) || r.World != strings.Contains(arguments, "uploads") {
			t.Errorf("%s: got %+v, %v, want %q", arguments, r, err, want)
		}
	}
}

func TestPlot_BadCalls_ExplainThemselves(t *testing.T) {
	dir, plot := folder(t, protocol.FilePolicy{Exclude: []string{"secret"}}, map[string]string{
		"a.csv": "day,kg,note\n2026-01-01,71.5,good\n2026-01-02,heavy,bad\n", "empty.csv": "", "names.csv": "a,b\n",
		"latin1.csv": "gr\xf6\xdfe,b\n1,2\n",
		"slash.csv":  "day,kg\n3/4/2026,1\n5/6/2026,2\n", "long.csv": "n,v\n" + strings.Repeat("1,2\n", 10_001),
		"secret/a.csv": "a,b\n1,2\n",
		"twice.csv":    "what,euro\nfood,1\nfood,2\n",
	})
	many := strings.Repeat(`{"y":[1]},`, 21)
	for arguments, want := range map[string]string{
		`"kind":"line"`: "give either series or csv",
		`"kind":"line","series":[{"y":[1]}],"csv":"a.csv"`:        "give either series or csv",
		`"kind":"pie","series":[{"y":[1]}]`:                       `kind "pie": want line, bar or scatter`,
		`"kind":"line","series":[{"y":[]}]`:                       "there are no values",
		`"kind":"line","series":[{"y":[null]}]`:                   "all of them are gaps",
		`"kind":"line","series":[{"name":"a","x":[1],"y":[1,2]}]`: "series 1 (a) has 1 x and 2 y",
		`"kind":"line","series":[{"y":[1,"two"]}]`:                `series 1, value 2: "two" is no number`,
		`"kind":"line","series":[{"y":[{}]}]`:                     "want a number, a text or null",
		`"kind":"line","series":[{"y":[1e200]}]`:                  "too large for a chart",
		`"kind":"line","series":[` + many[:len(many)-1] + `]`:     "21 series, and at most 20",
		`"kind":"line","series":[{"y":[1]}],"x":"day"`:            "name columns of a CSV file",
		`"kind":"line","csv":"none.csv"`:                          "none.csv",
		`"kind":"line","csv":"secret/a.csv"`:                      "secret",
		`"kind":"line","csv":"../a.csv"`:                          "leads out of the folder",
		`"kind":"line","csv":"empty.csv"`:                         "it is empty",
		`"kind":"line","csv":"names.csv"`:                         "no values below them",
		`"kind":"line","csv":"latin1.csv"`:                        "UTF-8",
		`"kind":"line","csv":"a.csv"`:                             `its columns are "day", "kg", "note"`,
		`"kind":"line","csv":"a.csv","y":["lb"]`:                  `no column "lb"; its columns are`,
		`"kind":"line","csv":"a.csv","y":["kg"]`:                  `a.csv, line 3, column "kg": "heavy" is no number`,
		`"kind":"line","csv":"slash.csv"`:                         "write dates as 2026-11-20",
		`"kind":"line","csv":"long.csv"`:                          "10,001 values in 1 column, and at most 10,000",
		`"kind":"bar","csv":"twice.csv"`:                          `two values of "euro" for "food"`,
		`"kind":"line","series":"x"`:                              "series",
	} {
		r, err := plot(`{"title":"t",` + arguments + `}`)
		if err == nil || !strings.Contains(err.Error(), want) || len(r.Changes) > 0 {
			t.Errorf("%.100s: got %v, want %q", arguments, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "charts")); err == nil {
		t.Error("a refused call has made the folder charts")
	}
}

func TestPlot_PolicyHidesCharts_IsRefused(t *testing.T) {
	_, plot := folder(t, protocol.FilePolicy{Include: []string{"notes"}}, nil)
	if _, err := plot(`{"kind":"line","title":"t","series":[{"y":[1]}]}`); err == nil {
		t.Error("a chart was written to a folder that tools may not use")
	}
}
