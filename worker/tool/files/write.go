package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

var writeSpec = worker.Spec{
	Name:        "write_file",
	Effect:      protocol.EffectIdempotent,
	Description: "Write a whole text file, with the folders on its way. overwrite false: only where no file is.",
	Properties: `{"path":{"type":"string"},"content":{"type":"string"},` +
		`"overwrite":{"type":"boolean","default":true}}`,
	Required: `["path","content"]`,
}

type writeArgs struct {
	Path      string `json:"path"`
	Content   string `json:"content"`
	Overwrite bool   `json:"overwrite"`
}

func (t *fileTools) write(_ context.Context, _ worker.Call, args writeArgs) (worker.Result, error) {
	name, err := t.ws.Clean(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	mode, done := workspace.Replace, "overwritten"
	if !args.Overwrite {
		mode, done = workspace.Create, "found to hold just this already"
	}
	created, err := t.ws.Write(args.Path, []byte(args.Content), mode)
	if errors.Is(err, fs.ErrExist) {
		return worker.Result{}, fmt.Errorf("%w, and overwrite is false", err)
	}
	if err != nil {
		return worker.Result{}, err
	}
	if created {
		done = "created"
	}
	n := amount.Bytes(int64(len(args.Content)))
	text := fmt.Sprintf("%s was %s, %s.", workspace.Show(name), done, n)
	return changeResult("write", name, done+", "+n, text, done+", "+n), nil
}

var appendSpec = worker.Spec{
	Name:        "append_file",
	Effect:      protocol.EffectOnce,
	Description: "Add text on a new line at the end of a file; makes the file where there is none.",
	Properties:  `{"path":{"type":"string"},"content":{"type":"string"}}`,
	Required:    `["path","content"]`,
}

type appendArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (t *fileTools) append(_ context.Context, _ worker.Call, args appendArgs) (worker.Result, error) {
	name, err := t.ws.Clean(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	if args.Content == "" {
		return worker.Result{}, fmt.Errorf("append to %s: content is empty", workspace.Show(name))
	}
	if err := t.takesText(args.Path); err != nil {
		return worker.Result{}, err
	}
	created, err := t.ws.Append(args.Path, []byte(args.Content))
	if err != nil {
		return worker.Result{}, err
	}
	n := amount.Bytes(int64(len(args.Content)))
	text, detail := fmt.Sprintf("Added %s to %s.", n, workspace.Show(name)), n
	if created {
		text, detail = fmt.Sprintf("%s was created, %s.", workspace.Show(name), n), "created, "+n
	}
	return changeResult("append", name, detail, text, detail), nil
}

// takesText refuses a file that UTF-8 at its end would damage. A file that does not exist takes any text.
func (t *fileTools) takesText(path string) error {
	text, err := t.openText(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", workspace.Show(path), err)
	}
	defer text.file.Close()
	if text.enc == encodingUTF16LE || text.enc == encodingUTF16BE {
		return fmt.Errorf("append to %s: it is written in %s; read it and write it whole with write_file",
			workspace.Show(path), text.enc)
	}
	return nil
}
