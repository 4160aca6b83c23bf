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

// textWaits is for the model, behind a result that has changed a prompt file.
const textWaits = "\n[It does not count yet: the person accepts it with a button below your answer. Tell them so.]"

// WithNote is a tool whose results say of changed prompt files that they wait for the person.
func WithNote(tool worker.Tool) worker.Tool {
	run := tool.Run
	tool.Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
		result, err := run(ctx, call)
		if slices.ContainsFunc(result.Changes, func(c protocol.Change) bool { return protocol.PromptFileBytes(c.Target) > 0 }) {
			result.Text += textWaits
		}
		return result, err
	}
	return tool
}

// noted is the state of a file before notes were added to it, and after.
type noted struct{ from, to protocol.FileState }

// toolNote is the tool that adds a note.
const toolNote = "note_today"

// Noting has Watch know what the tool adds that adds notes: one line a call, of the words that the
// call says. What a program adds meanwhile is other words.
func (w *Watch) Noting(tools []worker.Tool) []worker.Tool {
	for i, tool := range tools {
		if tool.Name != toolNote {
			continue
		}
		tools[i].Run = func(ctx context.Context, call worker.Call) (worker.Result, error) {
			var said struct{ Text string }
			_ = json.Unmarshal(call.Arguments, &said) // a call that says nothing has noted nothing
			words := []byte(" " + strings.Join(strings.Fields(said.Text), " ") + "\n")
			before, _ := w.look()
			result, err := tool.Run(ctx, call)
			after, _ := w.look()
			for n, f := range after {
				line, added := bytes.CutPrefix(f.text, before[n].text)
				if err == nil && added && slices.Contains(w.Notes, f.Path) && len(line) == len("- 13:19")+len(words) && bytes.HasSuffix(line, words) && f.State.Hashed() {
					w.note(f.Path, noted{before[n].State, f.State})
				}
			}
			return result, err
		}
	}
	return tools
}

func (w *Watch) note(path string, n noted) {
	if earlier, there := w.noted[path]; there && earlier.to == n.from {
		n.from = earlier.from
	}
	if w.noted == nil {
		w.noted = map[string]noted{}
	}
	w.noted[path] = n
}
