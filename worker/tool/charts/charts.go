// Package charts has the tool that draws a chart of numbers as a picture in the user's folder. The
// worker draws the picture itself; no program runs.
package charts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

// Folder is the folder of the home with the charts.
const Folder = protocol.ChartsFolder

// Limits of a chart.
const (
	maxSeries  = 20
	maxPoints  = 10_000
	maxText    = 200 // characters of a title, a label or a name
	maxName    = 60  // characters of a file's name, without its number and extension
	maxSimilar = 1000
)

var plotSpec = worker.ToolSpec{
	Name:   "plot_chart",
	Family: "charts",
	Description: "Draw a chart as a PNG in charts/ and show it to the person. " +
		"Give series, or a CSV file of the folder. Dates: 2026-11-20.",
	Effect: protocol.EffectIdempotent, // a repeated call draws the same picture, and finds it in its file
	Arguments: []worker.Argument{
		{Name: "kind", Values: []string{kindLine, kindBar, kindScatter}, Required: true},
		{Name: "title", Type: worker.StringArgument, Required: true},
		{Name: "series", Type: worker.ListArgument, Items: worker.ObjectArgument,
			Description: `each {"name":"kg","x":["2026-11-20"],"y":[71.5]}; x: numbers, dates or texts; null is a gap`},
		{Name: "csv", Type: worker.StringArgument, Description: "path; its first line names the columns"},
		{Name: "x", Type: worker.StringArgument, Description: "column of the CSV file, default the first"},
		{Name: "y", Type: worker.StringListArgument, Description: "columns of the CSV file, default all with numbers"},
		{Name: "x_label", Type: worker.StringArgument},
		{Name: "y_label", Type: worker.StringArgument},
	},
}

// Kinds of charts.
const (
	kindLine    = "line"
	kindBar     = "bar"
	kindScatter = "scatter"
)

type plotArgs struct {
	Kind   string         `json:"kind"`
	Title  string         `json:"title"`
	Series []inlineSeries `json:"series"`
	CSV    string         `json:"csv"`
	X      string         `json:"x"`
	Y      []string       `json:"y"`
	XLabel string         `json:"x_label"`
	YLabel string         `json:"y_label"`
}

// inlineSeries is a series of a call. Its values are JSON numbers, texts or null.
type inlineSeries struct {
	Name string            `json:"name"`
	X    []json.RawMessage `json:"x"`
	Y    []json.RawMessage `json:"y"`
}

// plotter draws charts of a workspace.
type plotter struct {
	ws   *workspace.Workspace
	zone *time.Location
}

// Tools makes the tool over a workspace, which the caller closes later. Times with an offset are
// shown in zone; nil means the machine's own.
func Tools(ws *workspace.Workspace, zone *time.Location) []worker.Tool {
	p := &plotter{ws: ws, zone: cmp.Or(zone, time.Local)}
	return []worker.Tool{worker.DefineTool(plotSpec, plotArgs{}, p.plot)}
}

func (p *plotter) plot(ctx context.Context, call worker.Call, args plotArgs) (worker.Result, error) {
	world := args.CSV != "" && p.ws.LeadsToUploads(args.CSV)
	c, note, err := p.chartOf(args)
	if err != nil {
		return worker.Result{World: world}, fmt.Errorf("draw the chart: %w", err)
	}
	picture, err := c.draw()
	if err != nil {
		return worker.Result{World: world}, fmt.Errorf("draw the chart: %w", err)
	}
	path, created, undo, err := p.store(ctx, call, fileName(args.Title), picture.png)
	if err != nil {
		return worker.Result{World: world}, err
	}
	done := "created"
	if !created {
		done = "found to hold just this already"
	}
	size := amount.FormatBytes(int64(len(picture.png)))
	text := note + fmt.Sprintf("%s was %s, %d x %d pixels, %s.\n%s", workspace.QuotePath(path), done, picture.width,
		picture.height,
		size, c.describe())
	if missing := picture.missingText(); missing != "" {
		text += "\n" + missing
	}
	return worker.Result{Text: text, World: world,
		Brief: fmt.Sprintf("%s, %s", amount.Plural(len(c.series), "series", "series"), amount.Plural(c.points(),
			"point", "points")),
		Changes: []protocol.Change{{Kind: "write", Target: path, Detail: done + ", " + size,
			Undo: p.ws.RecordAfterWrite(undo)}}}, nil
}

// chartOf makes the chart of a call. The note names a corrected path.
func (p *plotter) chartOf(args plotArgs) (c *chart, note string, err error) {
	var columns []column
	switch {
	case (len(args.Series) > 0) == (args.CSV != ""):
		return nil, "", errors.New("give either series or csv")
	case args.CSV != "":
		taken, hint := p.ws.SimilarPath(args.CSV)
		if hint != "" {
			note = hint + "\n"
		}
		columns, err = p.readCSV(taken, args.X, args.Y)
	case args.X != "" || len(args.Y) > 0:
		return nil, "", errors.New("x and y name columns of a CSV file; inline numbers belong into series")
	default:
		columns, err = inlineColumns(args.Series)
	}
	if err != nil {
		return nil, "", err
	}
	c = &chart{kind: args.Kind, title: cleanText(args.Title), xLabel: cleanText(args.XLabel),
		yLabel: cleanText(args.YLabel)}
	if c.kind != kindLine && c.kind != kindBar && c.kind != kindScatter {
		return nil, "", fmt.Errorf("kind %q: want line, bar or scatter",
			worker.TrimPartialRune(c.kind[:min(len(c.kind), 40)]))
	}
	return c, note, c.read(columns, p.zone)
}

// store writes the picture to the first free name.
func (p *plotter) store(ctx context.Context, call worker.Call, name string, png []byte) (
	path string, created bool, undo *protocol.Undo, err error) {
	for n := 1; n <= maxSimilar; n++ {
		path = fmt.Sprintf("%s/%s.png", Folder, name)
		if n > 1 {
			path = fmt.Sprintf("%s/%s-%d.png", Folder, name, n)
		}
		if _, err := p.ws.Stat(path); err != nil {
			undo = p.ws.RecordBeforeWrite(ctx, call.KeepBefore, path, png)
		}
		created, err = p.ws.WriteFile(path, png, workspace.ModeCreate)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		undo = nil
	}
	return path, created, undo, err
}

// fileName returns the name of a chart's file without its extension, made from the title. An example
// is "gewicht-im-märz".
func fileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(cleanText(title)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	})
	name := []rune(strings.Join(words, "-"))
	name = name[:min(len(name), maxName)]
	return cmp.Or(strings.Trim(string(name), "-"), "chart")
}
