package send_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/tool/send"
	"mews/worker/workspace"
)

const pngHead = "\x89PNG\r\n\x1a\nrest"

// pictureRun runs a tool that reports changes of these files, with a supervisor that answers with
// answer and err. It returns the result and the paths that the supervisor got.
func pictureRun(t *testing.T, name string, changes []protocol.Change, answer protocol.ChatPicturesResult,
	err error) (r worker.Result, sent [][]string) {
	t.Helper()
	files := map[string]string{"charts/text.png": "no picture", "other/a.png": pngHead, "charts/a.svg": "<svg/>",
		"charts/b.JPG": "\xff\xd8\xff\xe0"}
	for n := range 6 {
		files[fmt.Sprintf("charts/%d.png", n)] = pngHead
	}
	dir, c, _ := folder(t, protocol.FilePolicy{}, files)
	ws, openErr := workspace.Open(dir, protocol.FilePolicy{})
	if openErr != nil {
		t.Fatal(openErr)
	}
	t.Cleanup(func() { ws.Close() })
	c.Answers[protocol.MethodChatPictures] = hosttest.NewAnswer(
		func(_ context.Context, p protocol.ChatPicturesParams) (protocol.ChatPicturesResult, error) {
			if err := p.Validate(); err != nil {
				t.Errorf("an honest worker sends %v", err)
			}
			var paths []string
			for _, f := range p.Files {
				paths = append(paths, f.Path)
			}
			sent = append(sent, paths)
			return answer, err
		})
	tool := send.NewPictureSender(ws, c, measure).WithPictures(worker.Tool{Tool: protocol.Tool{Name: name},
		Run: func(context.Context, worker.Call) (worker.Result, error) {
			return worker.Result{Text: "exit 0\nran", Brief: "exit 0", Changes: changes}, nil
		}})
	r, runErr := tool.Run(t.Context(), worker.Call{ID: "c1", Progress: func(string) {}})
	if runErr != nil {
		t.Fatal(runErr)
	}
	return r, sent
}

func written(paths ...string) (changes []protocol.Change) {
	changes = []protocol.Change{{Kind: "run", Target: "python"}, {Kind: "delete", Target: "charts/5.png"}}
	for _, path := range paths {
		changes = append(changes, protocol.Change{Kind: "write", Target: path})
	}
	return changes
}

func TestWithPictures_Charts_AreSent(t *testing.T) {
	for _, c := range []struct {
		tool  string
		paths []string
		sent  []string
		text  string
	}{
		{"run_python", []string{"charts/0.png", "charts/b.JPG"}, []string{"charts/0.png", "charts/b.JPG"},
			"exit 0\nsent to the person's chat: charts/0.png, charts/b.JPG\nran"},
		{"plot_chart", []string{"charts/1.png"}, []string{"charts/1.png"},
			"exit 0\nsent to the person's chat: charts/1.png\nran"},
		{"run_python", []string{"charts/text.png", "charts/a.svg", "other/a.png", "charts/gone.png",
			"charts/../other/a.png"}, nil, "exit 0\nran"},
		{"run_python", nil, nil, "exit 0\nran"},
		{"write_file", []string{"charts/0.png"}, nil, "exit 0\nran"},
		{"run_python", []string{"charts/0.png", "charts/1.png", "charts/2.png", "charts/3.png", "charts/4.png"},
			[]string{"charts/0.png", "charts/1.png", "charts/2.png", "charts/3.png"},
			"exit 0\nsent to the person's chat: charts/0.png, charts/1.png, charts/2.png, charts/3.png\n" +
				"not sent, because 4 is the most for a call: charts/4.png; send_file sends them\nran"},
	} {
		r, sent := pictureRun(t, c.tool, written(c.paths...), protocol.ChatPicturesResult{}, nil)
		if len(sent) > 1 || !slices.Equal(slices.Concat(sent...), c.sent) || r.Text != c.text {
			t.Errorf("%s %v: sent %v, the model reads %q", c.tool, c.paths, sent, r.Text)
		}
		if strings.Contains(r.Brief, "sent") != (len(c.sent) > 0) {
			t.Errorf("%s %v: the person reads %q", c.tool, c.paths, r.Brief)
		}
	}
}

func TestWithPictures_Refusal_IsToldToModel(t *testing.T) {
	r, _ := pictureRun(t, "run_python", written("charts/0.png"),
		protocol.ChatPicturesResult{Unsent: "not to a group"}, nil)
	if r.Text != "exit 0\nnot sent: charts/0.png: not to a group\nran" || r.Brief != "exit 0" {
		t.Errorf("%+v", r)
	}
	refused := &protocol.Error{Code: protocol.CodeFailed, Message: "this Mews sends nothing"}
	r, _ = pictureRun(t, "run_python", written("charts/0.png"), protocol.ChatPicturesResult{}, refused)
	if r.Text != "exit 0\nnot sent: charts/0.png: this Mews sends nothing\nran" {
		t.Errorf("%+v", r)
	}
	r, _ = pictureRun(t, "run_python", written("charts/0.png"), protocol.ChatPicturesResult{},
		errors.New("the connection is closed"))
	if !strings.HasSuffix(r.Text, "ran") {
		t.Errorf("the program's own result is lost: %+v", r)
	}
}
