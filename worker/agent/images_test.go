package agent

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
)

// picture has only the first bytes of a PNG: the agent reads no further bytes.
func picture(data string) worker.Picture {
	return worker.Picture{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n" + data), Width: 4, Height: 3}
}

// runOne runs a turn in which a tool returns this result, and returns the committed result.
func runOne(t *testing.T, host *hosttest.Host, result worker.Result) protocol.ToolResult {
	t.Helper()
	host.TB, host.Limits = t, protocol.TurnLimits{Steps: 5, Seconds: 60}
	host.Answer = hosttest.ScriptMessages(hosttest.CallMessage(hosttest.ToolCall("c", "view", `{}`)))
	tool := worker.Tool{
		Tool: protocol.Tool{Name: "view", Effect: protocol.EffectNone},
		Run:  func(context.Context, worker.Call) (worker.Result, error) { return result, nil },
	}
	if _, err := Run(t.Context(), host.TurnStart(), Options{Host: host, Tools: []worker.Tool{tool}}); err != nil {
		t.Fatal(err)
	}
	committed, done := host.CallResult("c")
	if !done {
		t.Fatal("the call has no result")
	}
	return committed
}

func TestPicture_OfTool_IsStoredAsBlob(t *testing.T) {
	host, p := &hosttest.Host{}, picture("\x00\xff\xfe")
	got := runOne(t, host, worker.Result{Text: "cat.png", Images: []worker.Picture{p}})
	if got.Failed || got.Text != "cat.png" || len(got.Images) != 1 {
		t.Fatalf("got %+v", got)
	}
	image := got.Images[0]
	if image.MediaType != "image/png" || image.Width != 4 || image.Height != 3 || image.Size != int64(len(p.Data)) {
		t.Errorf("got %+v", image)
	}
	part, err := host.ReadBlob(t.Context(), image.SHA256, 0, 100)
	if err != nil || !bytes.Equal(part.Data, p.Data) {
		t.Errorf("kept %q, %v", part.Data, err)
	}
}

func TestPicture_StoreFails_FailsResult(t *testing.T) {
	full := func(_ int, call string) hosttest.Failure {
		if call == "keep" {
			return hosttest.FailureRefused
		}
		return hosttest.FailureNone
	}
	many := make([]worker.Picture, protocol.MaxResultImages+1)
	for i := range many {
		many[i] = picture(strings.Repeat("x", i))
	}
	mislabelled, huge, flat := picture(""), picture(strings.Repeat("x", protocol.MaxImageBytes)), picture("")
	mislabelled.MediaType, flat.Height = "image/gif", 0
	for name, test := range map[string]struct {
		host   *hosttest.Host
		images []worker.Picture
		kept   int
	}{
		"the supervisor has no room": {&hosttest.Host{Fail: full}, []worker.Picture{picture("")}, 0},
		"too many":                   {&hosttest.Host{}, many, protocol.MaxResultImages},
		"of another type":            {&hosttest.Host{}, []worker.Picture{mislabelled, picture("")}, 1},
		"too large":                  {&hosttest.Host{}, []worker.Picture{huge}, 0},
		"without pixels":             {&hosttest.Host{}, []worker.Picture{flat}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := runOne(t, test.host, worker.Result{Text: "here", Images: test.images})
			if len(got.Images) != test.kept || !got.Failed || !strings.Contains(got.Text, "could not be kept, so you do not see it") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestResult_WordsOfWorld_AreMarked also tries a tool that fails.
func TestResult_WordsOfWorld_AreMarked(t *testing.T) {
	for _, world := range []bool{false, true} {
		if got := runOne(t, &hosttest.Host{}, worker.Result{Text: "x", World: world}); got.World != world {
			t.Errorf("got %v, want %v", got.World, world)
		}
	}
}
