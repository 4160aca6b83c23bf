package files

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

const (
	searchLimit      = 100
	searchLimitMax   = 1000
	maxContext       = 10        // most lines shown on each side of a match
	maxAnswer        = 128 << 10 // most bytes of one answer
	maxSearched      = 200_000   // most files searched in one call
	progressInterval = 10_000    // files between two lines of progress
)

var searchSpec = worker.ToolSpec{
	Name:   "search_files",
	Effect: protocol.EffectNone,
	Description: "Find lines that hold the query (plain text, or with regexp a Go regular expression) " +
		"in the text files below path.",
	Arguments: []worker.Argument{
		{Name: "query", Type: worker.StringArgument, Required: true},
		{Name: "regexp", Type: worker.BooleanArgument},
		{Name: "path", Type: worker.StringArgument},
		{Name: "glob", Type: worker.StringArgument, Description: "of files: *.md"},
		{Name: "context", Type: worker.IntegerArgument, Description: "lines around"},
		{Name: "case_sensitive", Type: worker.BooleanArgument},
		{Name: "limit", Type: worker.IntegerArgument, Description: "lines found, default 100"},
	},
}

type searchArgs struct {
	Query         string `json:"query"`
	Regexp        bool   `json:"regexp"`
	Path          string `json:"path"`
	Glob          string `json:"glob"`
	Context       int    `json:"context"`
	CaseSensitive bool   `json:"case_sensitive"`
	Limit         int    `json:"limit"`
}

func (t *fileTools) search(ctx context.Context, call worker.Call, args searchArgs) (worker.Result, error) {
	path := cmp.Or(args.Path, ".") // without a path, the whole workspace is searched
	name, err := t.ws.CleanPath(path)
	if err != nil {
		return worker.Result{}, err
	}
	g, err := newGlob(args.Glob, name)
	if err != nil {
		return worker.Result{}, fmt.Errorf("search %s: %w", workspace.QuotePath(path), err)
	}
	m, err := newMatcher(args.Query, args.Regexp, args.CaseSensitive)
	if err != nil {
		return worker.Result{}, fmt.Errorf("search %s: %w", workspace.QuotePath(path), err)
	}
	s := &fileSearch{
		ctx: ctx, progress: call.Progress, glob: g, head: make([]byte, headSize),
		found: matchCollector{
			matcher: m, contextLines: min(max(args.Context, 0), maxContext), limit: clampLimit(args.Limit, searchLimit, searchLimitMax),
		},
	}
	if err := t.ws.Walk(ctx, path, s.visit); err != nil {
		return worker.Result{}, err
	}
	return s.result(args.Query), nil
}

// fileSearch is one call of search_files. It reads the files.
type fileSearch struct {
	ctx      context.Context
	progress func(string)
	glob     glob
	head     []byte
	decoder  textDecoder
	blocks   blockReader
	found    matchCollector
	searched int  // files searched so far
	unread   int  // files and folders that could not be read completely
	world    bool // a match is in a received file
}

func (s *fileSearch) visit(e workspace.Entry) error {
	switch {
	case e.Err != nil:
		s.unread++
		return nil
	case !e.Info.Mode().IsRegular() || !s.glob.match(e.Path):
		return nil
	case s.searched == maxSearched:
		s.found.stopReason = fmt.Sprintf("stopped after %s files: give a path or a glob",
			amount.FormatNumber(maxSearched))
		return fs.SkipAll
	}
	before := s.found.matches
	if err := s.file(e); err != nil {
		s.unread++
	}
	s.world = s.world || s.found.matches > before && workspace.IsUploadPath(e.Path)
	s.searched++
	if s.searched%progressInterval == 0 {
		s.progress(amount.FormatNumber(int64(s.searched)) + " files searched")
	}
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.found.stopReason != "":
		return fs.SkipAll
	}
	return nil
}

// file searches one file. It skips a file that is no text.
func (s *fileSearch) file(e workspace.Entry) error {
	f, err := e.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := readHead(f, s.head)
	if err != nil {
		return err
	}
	enc, binary := sniff(head)
	if binary != "" {
		return nil
	}
	s.decoder.reset(head, f, enc)
	s.blocks.reset(&s.decoder)
	s.found.begin(e.Path)
	for s.found.stopReason == "" && s.ctx.Err() == nil {
		block, err := s.blocks.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s.found.collect(block)
	}
	return nil
}

func (s *fileSearch) result(query string) worker.Result {
	f := &s.found
	brief := fmt.Sprintf(
		"%s in %s",
		amount.Plural(f.matches, "match", "matches"),
		amount.Plural(f.files, "file", "files"),
	)
	last := brief
	if f.matches == 0 {
		const longest = 100
		brief = "no matches"
		last = fmt.Sprintf("No line of %s matches %q",
			amount.Plural(s.searched, "file", "files"), strings.ToValidUTF8(query[:min(len(query), longest)], ""))
	}
	if f.stopReason != "" {
		last += "; " + f.stopReason
	}
	if s.unread > 0 {
		last += fmt.Sprintf("; %s could not be read", amount.Plural(s.unread, "file or folder", "files or folders"))
	}
	return worker.Result{Text: f.out.String() + last + ".", Brief: brief, World: s.world}
}
