package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

const (
	listLimit    = 200
	listLimitMax = 5000
)

var listSpec = worker.ToolSpec{
	Name:        "list_files",
	Effect:      protocol.EffectNone,
	Description: "List a folder (path empty: the whole one) with sizes and times. Folders end in a slash.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument},
		{Name: "pattern", Type: worker.StringArgument, Description: "glob: notes/**/*.txt"},
		{Name: "recursive", Type: worker.BooleanArgument},
		{Name: "limit", Type: worker.IntegerArgument, Description: "entries, default 200"},
	},
}

type listArgs struct {
	Path      string `json:"path"`
	Pattern   string `json:"pattern"`
	Recursive bool   `json:"recursive"`
	Limit     int    `json:"limit"`
}

func (t *fileTools) list(ctx context.Context, _ worker.Call, args listArgs) (worker.Result, error) {
	path := cmp.Or(args.Path, ".") // without a path, the whole workspace is listed
	name, err := t.ws.CleanPath(path)
	if err != nil {
		return worker.Result{}, err
	}
	g, err := newGlob(args.Pattern, name)
	if err != nil {
		return worker.Result{}, fmt.Errorf("list %s: %w", workspace.QuotePath(path), err)
	}
	l := &listing{fileTools: t, glob: g, deep: args.Recursive || g.hasFolders(), limit: clampLimit(args.Limit, listLimit, listLimitMax)}
	if err := t.ws.Walk(ctx, path, l.visit); err != nil {
		return worker.Result{}, err
	}
	return l.result(name, args.Pattern), nil
}

// clampLimit returns limit, or top if that is less. If limit is not given, clampLimit returns
// usual.
func clampLimit(limit, usual, top int) int {
	if limit <= 0 {
		return usual
	}
	return min(limit, top)
}

// listing is one call of list_files.
type listing struct {
	*fileTools
	glob           glob
	deep           bool // whether folders are listed with their contents
	limit          int
	lines          []string
	files, folders int
	trouble        []string // folders that could not be read
	world          bool     // a name in the list belongs to a received file
}

func (l *listing) visit(e workspace.Entry) error {
	if e.Err != nil {
		l.trouble = append(l.trouble, e.Err.Error())
		return nil
	}
	if l.glob.match(e.Path) {
		if e.Info.IsDir() {
			l.folders++
		} else {
			l.files++
		}
		if len(l.lines) < l.limit {
			l.lines = append(l.lines, l.line(e))
			l.world = l.world || workspace.IsUploadPath(e.Path)
		}
	}
	if e.Info.IsDir() && !l.deep {
		return fs.SkipDir
	}
	return nil
}

// line formats one entry in columns, with two spaces between them.
func (l *listing) line(e workspace.Entry) string {
	name := workspace.QuotePath(e.Path)
	switch {
	case e.Info.IsDir():
		return name + "/"
	case e.Info.Mode()&fs.ModeSymlink != 0:
		return name + "  link"
	case !e.Info.Mode().IsRegular():
		return name + "  not a file"
	}
	return fmt.Sprintf("%s  %s  %s", name, amount.FormatBytes(e.Info.Size()),
		e.Info.ModTime().In(l.zone).Format("2006-01-02 15:04"))
}

// maxTrouble bounds the unreadable folders that are named.
const maxTrouble = 5

func (l *listing) result(name, pattern string) worker.Result {
	lines, all := l.lines, l.files+l.folders
	where := workspace.QuotePath(name)
	if name == "." {
		where = "the folder"
	}
	switch {
	case all == 0 && pattern != "":
		lines = append(lines, fmt.Sprintf("Nothing in %s matches %q.", where, pattern))
	case all == 0 && len(l.trouble) == 0:
		lines = append(lines, strings.ToUpper(where[:1])+where[1:]+" is empty.")
	case all > len(l.lines):
		lines = append(lines, fmt.Sprintf("... and %s more of %s and %s; narrow it with path or pattern, or raise limit.",
			amount.FormatNumber(int64(all-len(l.lines))), amount.Plural(l.files, "file", "files"),
			amount.Plural(l.folders, "folder", "folders")))
	}
	for i, trouble := range l.trouble {
		if i == maxTrouble {
			lines = append(lines, "Could not read "+amount.Plural(len(l.trouble)-i, "more folder.", "more folders."))
			break
		}
		lines = append(lines, "Could not "+trouble+".")
	}
	brief := amount.Plural(l.files, "file", "files")
	if l.folders > 0 {
		brief += ", " + amount.Plural(l.folders, "folder", "folders")
	}
	return worker.Result{Text: strings.Join(lines, "\n"), Brief: brief, World: l.world}
}
