package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

var writeSpec = worker.ToolSpec{
	Name:        "write_file",
	Effect:      protocol.EffectIdempotent,
	Description: "Write a whole text file, with the folders on its way. One that is there is kept, unless overwrite is true.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
		{Name: "content", Type: worker.StringArgument, Required: true},
		{Name: "overwrite", Type: worker.BooleanArgument},
	},
}

type writeArgs struct {
	Path      string `json:"path"`
	Content   string `json:"content"`
	Overwrite bool   `json:"overwrite"`
}

func (t *fileTools) write(ctx context.Context, call worker.Call, args writeArgs) (worker.Result, error) {
	name, err := t.ws.CleanPath(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	mode, done := workspace.ModeReplace, "overwritten"
	if !args.Overwrite {
		mode, done = workspace.ModeCreate, "found to hold just this already"
	}
	var undo *protocol.Undo
	if _, err := t.ws.Stat(args.Path); err != nil || args.Overwrite { // only an overwrite changes an existing file
		undo = t.ws.RecordBeforeWrite(ctx, call.KeepBefore, args.Path, []byte(args.Content))
	}
	created, err := t.ws.WriteFile(args.Path, []byte(args.Content), mode)
	if errors.Is(err, fs.ErrExist) {
		return worker.Result{}, fmt.Errorf("%w: %s; change it with edit_file, or replace it with overwrite: true", err, t.describe(args.Path))
	}
	if err != nil {
		return worker.Result{}, err
	}
	if created {
		done = "created"
	}
	n := amount.FormatBytes(int64(len(args.Content)))
	text := fmt.Sprintf("%s was %s, %s.", workspace.QuotePath(name), done, n)
	return changeResult("write", name, done+", "+n, text, done+", "+n, t.ws.RecordAfterWrite(undo)), nil
}

const maxFirstLine = 80 // bytes of a file's first line that describe shows

// describe tells in a few words what a file contains.
func (t *fileTools) describe(path string) string {
	f, err := t.ws.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return readFault(path, err).Error()
	}
	text := amount.FormatBytes(info.Size()) + ", changed " + info.ModTime().In(t.zone).Format("2006-01-02 15:04")
	x := &textFile{file: f}
	if err := x.start(path); err != nil {
		return text + "; " + err.Error()
	}
	// after an error, line has the bytes before the error
	line, _ := bufio.NewReader(io.LimitReader(x, maxFirstLine)).ReadString('\n')
	return text + ", first line " + strconv.Quote(strings.TrimRight(line, "\r\n"))
}

var appendSpec = worker.ToolSpec{
	Name:        "append_file",
	Effect:      protocol.EffectOnce,
	Description: "Add text on a new line at the end of a file, also of a new one.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
		{Name: "content", Type: worker.StringArgument, Required: true},
	},
}

type appendArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (t *fileTools) append(ctx context.Context, call worker.Call, args appendArgs) (worker.Result, error) {
	name, err := t.ws.CleanPath(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	if args.Content == "" {
		return worker.Result{}, fmt.Errorf("append to %s: content is empty", workspace.QuotePath(name))
	}
	if err := t.takesText(args.Path); err != nil {
		return worker.Result{}, err
	}
	undo := t.ws.RecordBeforeWrite(ctx, call.KeepBefore, args.Path, nil)
	created, err := t.ws.AppendFile(args.Path, []byte(args.Content))
	if err != nil {
		return worker.Result{}, err
	}
	n := amount.FormatBytes(int64(len(args.Content)))
	text, detail := fmt.Sprintf("Added %s to %s.", n, workspace.QuotePath(name)), n
	if created {
		text, detail = fmt.Sprintf("%s was created, %s.", workspace.QuotePath(name), n), "created, "+n
	}
	return changeResult("append", name, detail, text, detail, t.ws.RecordAfterWrite(undo)), nil
}

// takesText refuses a file in another encoding than UTF-8, because added text would damage the
// file. A new file takes any text.
func (t *fileTools) takesText(path string) error {
	text, err := t.openText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", workspace.QuotePath(path), err)
	}
	defer text.file.Close()
	if text.enc == encodingUTF16LE || text.enc == encodingUTF16BE {
		return fmt.Errorf("append to %s: it is written in %s; read it and replace it with write_file",
			workspace.QuotePath(path), text.enc)
	}
	return nil
}
