package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

var readSpec = worker.ToolSpec{
	Name:        "read_file",
	Effect:      protocol.EffectNone,
	Description: "Read the text file path, or several paths, at most 20. A header tells what is left out.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument},
		{Name: "paths", Type: worker.StringListArgument},
		{Name: "start_line", Type: worker.IntegerArgument, Description: "first line, from 1"},
		{Name: "end_line", Type: worker.IntegerArgument, Description: "last line, 0: all"},
	},
}

const maxFiles = 20 // most files that one call reads

type readArgs struct {
	Path      string   `json:"path"`
	Paths     []string `json:"paths"`
	StartLine int      `json:"start_line"` // first line to read in each file
	EndLine   int      `json:"end_line"`
}

func (t *fileTools) read(ctx context.Context, _ worker.Call, args readArgs) (worker.Result, error) {
	paths := args.Paths
	if args.Path != "" || len(paths) == 0 {
		paths = slices.Insert(paths, 0, args.Path)
	}
	switch {
	case len(paths) > maxFiles:
		return worker.Result{}, fmt.Errorf("read %d files: at most %d can be read at once", len(paths), maxFiles)
	case len(paths) > 1:
		return t.readMany(ctx, paths, args)
	}
	page, err := t.page(ctx, paths[0], args, maxExcerpt)
	if err != nil {
		return worker.Result{}, err
	}
	body := page.body
	if page.header != "" {
		body = page.header + "\n" + body
	}
	return worker.Result{Text: body, Brief: page.brief, World: t.ws.LeadsToUploads(paths[0])}, nil
}

// filePage is the shown part of a file.
type filePage struct {
	header string // remark above the text; "" if the text is whole and needs no remark
	body   string
	brief  string
}

// page reads the lines of a file that args asks for, at most room bytes.
func (t *fileTools) page(ctx context.Context, path string, args readArgs, room int) (filePage, error) {
	if args.StartLine < 0 || args.EndLine < 0 || args.EndLine > 0 && args.EndLine < args.StartLine {
		return filePage{}, fmt.Errorf("read %s: there are no lines %d to %d; lines are counted from 1",
			workspace.QuotePath(path), args.StartLine, args.EndLine)
	}
	name, err := t.ws.CleanPath(path)
	if err != nil {
		return filePage{}, err
	}
	text, err := t.openText(path)
	if err != nil {
		return filePage{}, err
	}
	defer text.file.Close()
	first := max(args.StartLine, 1)
	last := first + maxLines - 1
	if args.EndLine > 0 {
		last = min(last, args.EndLine)
	}
	x, err := readLines(ctx, text, first, last, room)
	if err != nil {
		return filePage{}, readFault(path, err)
	}
	if x.last < x.first && x.first > 1 {
		return filePage{}, fmt.Errorf("read %s: it has %s, and start_line is %d",
			workspace.QuotePath(path), amount.Plural(x.total, "line", "lines"), first)
	}
	return x.page(workspace.QuotePath(name), text.encodingNote(), args.EndLine), nil
}

// page makes a page of an excerpt; wanted is the last requested line, 0 for all.
func (x *excerpt) page(name, foreign string, wanted int) filePage {
	p := filePage{body: string(x.body), brief: amount.Plural(x.total, "line", "lines")}
	var notes []string
	switch {
	case x.total == 0:
		notes, p.brief = append(notes, "empty"), "empty"
	case !x.complete():
		p.brief = x.lineRange()
		notes = append(notes, p.brief)
	}
	if foreign != "" {
		notes = append(notes, "read as "+foreign)
	}
	if x.partial {
		notes = append(notes, fmt.Sprintf("line %d is longer than is shown", x.last))
	}
	if x.last != x.total && (wanted == 0 || x.last < wanted) {
		notes = append(notes, fmt.Sprintf("go on with start_line %d", x.last+1))
	}
	if len(notes) > 0 {
		p.header = name + ": " + strings.Join(notes, "; ")
	}
	return p
}

// lineRange returns "lines 1-200 of 812".
func (x *excerpt) lineRange() string {
	total := amount.FormatNumber(int64(max(x.total, 0)))
	if x.total < 0 {
		total = "very many"
	}
	if x.first == x.last {
		return fmt.Sprintf("line %d of %s", x.first, total)
	}
	return fmt.Sprintf("lines %d-%d of %s", x.first, x.last, total)
}

// readMany reads several files. It fails only if no file can be read.
func (t *fileTools) readMany(ctx context.Context, paths []string, args readArgs) (worker.Result, error) {
	var b strings.Builder
	var failed []error
	for i, path := range paths {
		// Long files get the room that short files before them leave.
		room := (maxExcerpt - b.Len()) / (len(paths) - i)
		p, err := t.page(ctx, path, args, max(room, 0))
		if ctx.Err() != nil {
			return worker.Result{}, context.Cause(ctx)
		}
		if err != nil {
			failed = append(failed, err)
			p = filePage{header: "could not " + err.Error()}
		}
		writePage(&b, path, p)
	}
	if len(failed) == len(paths) {
		return worker.Result{}, errors.Join(failed...)
	}
	brief := amount.Plural(len(paths)-len(failed), "file", "files")
	if len(failed) > 0 {
		brief += fmt.Sprintf(", %d could not be read", len(failed))
	}
	return worker.Result{Text: b.String(), Brief: brief, World: slices.ContainsFunc(paths, t.ws.LeadsToUploads)}, nil
}

// writePage adds a file under a headline.
func writePage(b *strings.Builder, path string, p filePage) {
	fmt.Fprintf(b, "=== %s ===\n", workspace.QuotePath(path))
	if p.header != "" {
		b.WriteString(p.header + "\n")
	}
	b.WriteString(p.body)
	if p.body != "" && !strings.HasSuffix(p.body, "\n") {
		b.WriteByte('\n')
	}
}
