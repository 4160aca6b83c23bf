// Package output has the tool that reads the rest of a shortened output.
package output

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
)

// BlobReader reads outputs that are stored whole.
type BlobReader interface {
	// ReadBlob returns at most length bytes of a blob from offset on.
	ReadBlob(ctx context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult, error)
}

// Bounds of one read, in bytes.
const (
	defaultLength = 8 << 10
	maxLength     = 32 << 10
	headerRoom    = 512 // bytes of the model's output limit that are kept free for the header
)

var readSpec = worker.ToolSpec{
	Name:        "read_output",
	Description: "Read the part of a tool's output that was left out.",
	Effect:      protocol.EffectNone,
	Arguments: []worker.Argument{
		{Name: "output", Type: worker.StringArgument, Description: "as the cut output names it", Required: true},
		{Name: "start", Type: worker.IntegerArgument, Description: "first byte, from 0"},
		{Name: "length", Type: worker.IntegerArgument, Description: "bytes, at most 32768"},
	},
}

type readArgs struct {
	Output string `json:"output"`
	Start  int64  `json:"start"`
	Length int    `json:"length"`
}

// Tools makes the tool for one turn. limit is the most bytes of an output for the model; 0 means no
// limit. A read stays below limit, so that its output is not cut again. The supervisor knows whose
// words an output has.
func Tools(reader BlobReader, limit int) []worker.Tool {
	return []worker.Tool{worker.DefineTool(readSpec, readArgs{},
		func(ctx context.Context, _ worker.Call, args readArgs) (worker.Result, error) {
			if err := args.check(limit); err != nil {
				return worker.Result{}, err
			}
			return read(ctx, reader, args)
		})}
}

// check sets defaults and bounds, and refuses impossible arguments.
func (a *readArgs) check(limit int) error {
	if raw, err := hex.DecodeString(a.Output); err != nil || len(raw) != 32 {
		return fmt.Errorf("read_output: %.80q names no output; the line that stands for what was left out holds the name", a.Output)
	}
	if a.Start < 0 || a.Length < 0 {
		return fmt.Errorf("read_output: start %d and length %d: neither can be negative", a.Start, a.Length)
	}
	a.Length = min(cmp.Or(a.Length, defaultLength), maxLength)
	if limit > 0 {
		a.Length = min(a.Length, max(limit-headerRoom, utf8.UTFMax))
	}
	a.Length = max(a.Length, utf8.UTFMax)
	return nil
}

// read returns the requested part, from its first whole character to its last.
func read(ctx context.Context, reader BlobReader, args readArgs) (worker.Result, error) {
	part, err := reader.ReadBlob(ctx, args.Output, args.Start, args.Length)
	if err != nil {
		return worker.Result{}, fmt.Errorf("read_output %s from byte %d: %w", args.Output, args.Start, err)
	}
	if args.Start >= part.Size {
		return worker.Result{}, fmt.Errorf("read_output %s: start %d is beyond its %d bytes", args.Output, args.Start, part.Size)
	}
	start := args.Start
	data := part.Data
	for len(data) > 0 && !utf8.RuneStart(data[0]) {
		data, start = data[1:], start+1
	}
	end := start + int64(len(data))
	if end < part.Size {
		if whole := worker.TrimPartialRune(data); len(whole) > 0 {
			data = whole
		}
		end = start + int64(len(data))
	}
	header := fmt.Sprintf("[bytes %d to %d of %d; the end]\n", start, end, part.Size)
	if end < part.Size {
		header = fmt.Sprintf("[bytes %d to %d of %d; go on with \"start\": %d]\n", start, end, part.Size, end)
	}
	return worker.Result{Text: header + string(data), Brief: amount.FormatBytes(int64(len(data)))}, nil
}
