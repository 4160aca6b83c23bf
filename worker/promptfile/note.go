package promptfile

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mews/protocol"
	"mews/worker"
)

// textWaits tells the model that its change of a prompt file must be accepted first.
const textWaits = "\n[It does not count yet: the person accepts it with a button below your answer. Tell them so.]"

// AddPendingNote adds a note to the tool's results if changed prompt files are pending. They wait
// for the user.
func AddPendingNote(tool worker.Tool) worker.Tool {
	run := tool.Run
	tool.Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
		result, err := run(ctx, call)
		if slices.ContainsFunc(result.Changes, func(c protocol.Change) bool { return protocol.MaxPromptFileBytes(c.Target) > 0 }) {
			result.Text += textWaits
		}
		return result, err
	}
	return tool
}

// noteStates is the state of a file before and after notes were added.
type noteStates struct{ from, to protocol.FileState }

// toolNote is the tool that adds a note.
const toolNote = "note_today"

// WatchNoteTool lets the Watcher recognise the notes that the note tool adds. Each call adds one
// line, with the words of the call. A line with other words comes from a program.
func (w *Watcher) WatchNoteTool(tools []worker.Tool) []worker.Tool {
	for i, tool := range tools {
		if tool.Name != toolNote {
			continue
		}
		tools[i].Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
			var said struct{ Text string }
			_ = json.Unmarshal(call.Arguments, &said) // a call without words has added no note
			words := []byte(" " + strings.Join(strings.Fields(said.Text), " ") + "\n")
			before, _ := w.readAll()
			result, err := tool.Run(ctx, call)
			after, _ := w.readAll()
			for n, f := range after {
				line, added := bytes.CutPrefix(f.text, before[n].text)
				if err == nil && added && slices.Contains(w.Notes, f.Path) && len(line) == len("- 13:19")+len(words) && bytes.HasSuffix(line, words) && f.State.IsHash() {
					w.recordNote(f.Path, noteStates{before[n].State, f.State})
				}
			}
			return result, err
		}
	}
	return tools
}

func (w *Watcher) recordNote(path string, n noteStates) {
	if earlier, there := w.noted[path]; there && earlier.to == n.from {
		n.from = earlier.from
	}
	if w.noted == nil {
		w.noted = map[string]noteStates{}
	}
	w.noted[path] = n
}
