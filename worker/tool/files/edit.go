package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

var editSpec = worker.ToolSpec{
	Name:   "edit_file",
	Effect: protocol.EffectOnce,
	Description: "Replace old_text, exactly as the file has it, by new_text. It must be there once; " +
		"all: every place.",
	Arguments: []worker.Argument{
		{Name: "path", Type: worker.StringArgument, Required: true},
		{Name: "old_text", Type: worker.StringArgument, Required: true},
		{Name: "new_text", Type: worker.StringArgument, Required: true},
		{Name: "all", Type: worker.BooleanArgument},
	},
}

type editArgs struct {
	Path    string `json:"path"`
	OldText string `json:"old_text"`
	NewText string `json:"new_text"`
	All     bool   `json:"all"`
}

// maxEdited is the largest file that can be edited, in bytes. An edit needs a few copies of the
// file in memory.
const maxEdited = 16 << 20

func (t *fileTools) edit(ctx context.Context, call worker.Call, args editArgs) (worker.Result, error) {
	name, err := t.ws.CleanPath(args.Path)
	if err != nil {
		return worker.Result{}, err
	}
	replaced, undo, err := t.replaceText(ctx, call, args)
	if err != nil {
		var told *workspace.Error
		if errors.As(err, &told) {
			return worker.Result{}, err
		}
		world := t.ws.LeadsToUploads(args.Path) // the error may quote the file
		return worker.Result{World: world}, fmt.Errorf("edit %s: %w", workspace.QuotePath(name), err)
	}
	n := amount.Plural(replaced, "place", "places")
	return changeResult("edit", name, n, fmt.Sprintf("%s was changed in %s.", workspace.QuotePath(name), n), n, undo),
		nil
}

// replaceText makes the edit that args describes. It returns the number of replacements, and the
// undo.
func (t *fileTools) replaceText(ctx context.Context, call worker.Call, args editArgs) (replaced int, undo *protocol.Undo, err error) {
	switch args.OldText {
	case "":
		return 0, nil, errors.New("old_text is empty; append_file adds to a file")
	case args.NewText:
		return 0, nil, errors.New("old_text and new_text are the same")
	}
	whole, enc, err := t.readAll(args.Path)
	if err != nil {
		return 0, nil, err
	}
	before, after := args.OldText, args.NewText
	if !strings.Contains(whole, before) && strings.Contains(whole, "\r\n") {
		// Models write \n also for a file with \r\n.
		before, after = withCRLF(before), withCRLF(after)
	}
	replaced = strings.Count(whole, before)
	switch {
	case replaced == 0:
		return 0, nil, errors.New("old_text is not in it" + nearMatch(whole, args.OldText))
	case replaced > 1 && !args.All:
		return 0, nil, fmt.Errorf("old_text is in it %d times, on lines %s; give more of the text around it, or set all",
			replaced, linesOf(whole, before))
	}
	raw, err := encodeAll(strings.ReplaceAll(whole, before, after), enc)
	if err != nil {
		return 0, nil, err
	}
	undo = t.ws.RecordBeforeWrite(ctx, call.KeepBefore, args.Path, raw)
	_, err = t.ws.WriteFile(args.Path, raw, workspace.ModeReplace)
	return replaced, t.ws.RecordAfterWrite(undo), err
}

func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// readAll reads a file for an edit.
func (t *fileTools) readAll(path string) (string, encoding, error) {
	f, err := t.ws.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	if err != nil {
		return "", "", err
	}
	if len(raw) > maxEdited {
		return "", "", fmt.Errorf("it is larger than %s, the most that can be edited", amount.FormatBytes(maxEdited))
	}
	enc, binary := sniff(raw[:min(len(raw), headSize)])
	if binary != "" {
		return "", "", fmt.Errorf("it is not text but %s, %s", binary, amount.FormatBytes(int64(len(raw))))
	}
	return decodeAll(raw, enc)
}

// linesOf lists the numbers of the first few lines at which part begins.
func linesOf(whole, part string) string {
	const most = 10
	var numbers []string
	line := 1
	for {
		at := strings.Index(whole, part)
		if at < 0 {
			return strings.Join(numbers, ", ")
		}
		if len(numbers) == most {
			return strings.Join(numbers, ", ") + ", ..."
		}
		line += strings.Count(whole[:at], "\n")
		numbers = append(numbers, fmt.Sprint(line))
		line += strings.Count(part, "\n")
		whole = whole[at+len(part):]
	}
}

// nearMatch finds a line of whole that differs from the first line of part only in white space or
// case. It returns the end of a sentence that names the line.
func nearMatch(whole, part string) string {
	wanted := ""
	for line := range strings.Lines(part) {
		if wanted = normalize(line); wanted != "" {
			break
		}
	}
	if wanted == "" {
		return ""
	}
	number := 0
	for line := range strings.Lines(whole) {
		number++
		if strings.Contains(normalize(line), wanted) {
			const longest = 200
			shown := strings.ToValidUTF8(line[:min(len(line), longest)], "")
			return fmt.Sprintf("; line %d is near, but differs in white space, in case or in what follows: %q", number, shown)
		}
	}
	return "; read the file to see what is"
}

// normalize returns a line in lower case, with single spaces.
func normalize(line string) string { return strings.ToLower(strings.Join(strings.Fields(line), " ")) }
