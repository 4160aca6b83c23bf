package hostcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// newReviewRig returns a rig with a review's turn, whose worker may only read one blob of ann's.
func newReviewRig(t *testing.T, m hostcall.Models) (r *rig, turn hostcall.Turn, reports *[]protocol.ReviewReport) {
	r = newRigOf(t, m)
	r.options.Windows = r.db.Turns()
	file, err := r.options.Spool.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(`{"repo":"acme/widget"}`)); err != nil {
		t.Fatal(err)
	}
	material, err := file.Commit()
	if err != nil {
		t.Fatal(err)
	}
	turn, reports = r.turn(), &[]protocol.ReviewReport{}
	turn.Kind, turn.Pot, turn.Material = supervisor.TurnReview, "review/acme/widget", material.SHA256
	r.reports.AwaitReport(turn.ID, func(_ context.Context, report protocol.ReviewReport) error {
		*reports = append(*reports, report)
		return nil
	})
	r.restart(turn)
	return r, turn, reports
}

// restart continues the turn with another worker.
func (r *rig) restart(turn hostcall.Turn) {
	r.conn, r.peer = r.newConn("ann")
	r.conn.BeginTurn(turn)
}

// window asks the model in a child window, and returns the answer.
func (r *rig) window(name, text string) (string, error) {
	r.t.Helper()
	p := protocol.ModelStreamParams{
		Turn:   r.open.Turn.ID,
		System: protocol.SystemTextRef{Hash: hash("find bugs"), Text: "find bugs"},
		Tools:  protocol.ToolListRef{Hash: hash("")},
		Child:  &protocol.ChildContextWindow{Name: name, Text: text},
	}
	result, err := r.call(protocol.MethodModelStream, p)
	if err != nil {
		return "", err
	}
	return result.(protocol.ModelStreamResult).Message.Text(), nil
}

// TestChildWindow_AsksModelOnceWithoutHistory checks that a child window contains only its own
// text. After the first answer, every call with the same name gets that answer.
func TestChildWindow_AsksModelOnceWithoutHistory(t *testing.T) {
	calls := 0
	long := strings.Repeat("a line of code\n", 20_000)
	r, turn, _ := newReviewRig(
		t,
		funcModel(func(_ context.Context, req modelcall.Request, _ func(string)) (protocol.Message, error) {
			calls++
			if len(req.Messages) != 1 || req.System != "find bugs" || len(req.Tools) > 0 ||
				!strings.HasPrefix(req.Messages[0].Text(), "part") {
				t.Errorf("asked with %q, %d messages, %d tools", req.System, len(req.Messages), len(req.Tools))
			}
			return protocol.Message{Parts: []protocol.ContentPart{{Text: fmt.Sprint("answer ", calls)},
				{Call: &protocol.ToolCall{ID: "c", Name: "get_time", Arguments: json.RawMessage(`{}`)}}}}, nil
		}),
	)
	for _, ask := range []struct{ name, text, want string }{
		{"1", "part 1", "answer 1"}, {"2", "part 2 " + long, "answer 2"}, {"1", "part 1", "answer 1"}, {"", "", ""},
		{"2", "part 2 " + long, "answer 2"}, {"3", "part 3", "answer 3"},
	} {
		if ask.name == "" { // an entry without a name means that the worker crashes
			r.restart(turn)
			continue
		}
		if got, err := r.window(ask.name, ask.text); err != nil || got != ask.want {
			t.Errorf("window %s: %q, %v; ended for %v", ask.name, got, err, r.peer.ended)
		}
	}
	if open, _, err := r.db.Turns().FindRunning(t.Context(), r.open.Turn.Conversation.ID); err != nil ||
		len(open.Messages) != 1 {
		t.Errorf("the turn itself has %+v, %v", open.Messages, err)
	}
	if text, _ := r.stream.Text(); text != "" {
		t.Errorf("the person saw %q", text)
	}
	totals, err := r.db.Usage().Sum(t.Context(), sqlite.UsageQuery{By: []sqlite.UsageDimension{sqlite.UsageByUser}})
	if err != nil || len(totals) != 1 || totals[0].User != turn.Pot || totals[0].Calls != 3 {
		t.Errorf("kept %+v, %v", totals, err)
	}
}

// TestChildWindow_ModelFails_AsksAgain checks that the model is asked again if its call in a child
// window failed. Other windows are not delayed.
func TestChildWindow_ModelFails_AsksAgain(t *testing.T) {
	fail := true
	r, turn, _ := newReviewRig(
		t,
		funcModel(func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
			if fail {
				return protocol.Message{}, failed(modelcall.Overloaded)
			}
			return protocol.Message{Parts: []protocol.ContentPart{{Text: "fine"}}}, nil
		}),
	)
	if _, err := r.window("1", "part 1"); wireCode(err) != protocol.CodeFailed || r.peer.ended != nil {
		t.Errorf("failed with %v, ended for %v", err, r.peer.ended)
	}
	fail = false
	for _, name := range []string{"2", "1"} {
		if got, err := r.window(name, "part "+name); err != nil || got != "fine" {
			t.Errorf("window %s: %q, %v", name, got, err)
		}
	}
	if err := r.conn.EndTurn(turn.ID, protocol.TurnEndDone).Failure; err != nil {
		t.Errorf("the turn failed with %v", err)
	}
}

// TestOneShotWorker_ForbiddenCall_EndsWorker makes calls that an honest one-shot worker never
// makes.
func TestOneShotWorker_ForbiddenCall_EndsWorker(t *testing.T) {
	report := protocol.ReviewReport{}
	finding := protocol.ReviewFinding{
		Path:     "a.go",
		Line:     1,
		Side:     protocol.DiffSideRight,
		Severity: protocol.SeverityWarning,
		Title:    "x",
	}
	offences := map[string]func(*rig, hostcall.Turn){
		"another text under a name": func(r *rig, _ hostcall.Turn) {
			if _, err := r.window("1", "part 1"); err != nil {
				t.Error(err)
			}
			r.window("1", "part 1, and say yes")
		},
		"a call without a window": func(r *rig, _ hostcall.Turn) {
			r.call(protocol.MethodModelStream, r.modelStream())
		},
		"a window with tools": func(r *rig, _ hostcall.Turn) {
			p := r.modelStream()
			p.Child = &protocol.ChildContextWindow{Name: "1", Text: "part 1"}
			r.call(protocol.MethodModelStream, p)
		},
		"a window without a name": func(r *rig, _ hostcall.Turn) { r.window("", "part 1") },
		"a window with too long a text": func(r *rig, _ hostcall.Turn) {
			r.window("1", strings.Repeat("x", protocol.MaxWindowTextBytes+1))
		},
		"another blob of its person's": func(r *rig, turn hostcall.Turn) {
			file, err := r.options.Spool.NewWriter()
			if err != nil {
				t.Fatal(err)
			}
			_, wrong := file.Write([]byte("private"))
			ref, err := file.Commit()
			if err := errors.Join(wrong, err, r.db.Blobs().AddOwner(t.Context(), "ann", ref, turn.ID)); err != nil {
				t.Error(err)
			}
			r.call(protocol.MethodBlobRead, protocol.BlobReadParams{Turn: turn.ID, SHA256: ref.SHA256, Length: 10})
		},
		"a check with an invalid finding": func(r *rig, turn hostcall.Turn) {
			r.call(protocol.MethodReviewCheck, protocol.ReviewCheckParams{Turn: turn.ID,
				Findings: []protocol.ReviewFinding{{Title: "x"}}})
		},
		"too long a check": func(r *rig, turn hostcall.Turn) {
			r.call(protocol.MethodReviewCheck, map[string]any{"turn": turn.ID, "findings": []any{},
				"x": strings.Repeat("x", protocol.MaxReviewCheckBytes)})
		},
		"a shared beginning beyond the text": func(r *rig, turn hostcall.Turn) {
			p := r.modelStream()
			p.Tools = protocol.ToolListRef{Hash: hash("")}
			p.Child = &protocol.ChildContextWindow{Name: "1", Text: "part 1", Shared: []int{6}}
			r.call(protocol.MethodModelStream, p)
		},
		"a second report": func(r *rig, turn hostcall.Turn) {
			report.Turn = turn.ID
			if _, err := r.call(protocol.MethodReviewReport, report); err != nil {
				t.Error(err)
			}
			r.call(protocol.MethodReviewReport, report)
		},
		"too long a report": func(r *rig, turn hostcall.Turn) {
			r.call(
				protocol.MethodReviewReport,
				protocol.ReviewReport{Turn: turn.ID, Verdict: strings.Repeat("x", protocol.MaxReviewReportBytes)},
			)
		},
		"an invalid finding": func(r *rig, turn hostcall.Turn) {
			bad := finding
			bad.Side = "UP"
			r.call(
				protocol.MethodReviewReport,
				protocol.ReviewReport{Turn: turn.ID, Findings: []protocol.ReviewFinding{finding, bad}},
			)
		},
		"a triage": func(r *rig, turn hostcall.Turn) {
			r.call(
				protocol.MethodReviewReport,
				protocol.ReviewReport{Turn: turn.ID, Triage: &protocol.Triage{Priority: "low"}},
			)
		},
		"an unknown field": func(r *rig, turn hostcall.Turn) {
			r.call(protocol.MethodReviewReport, map[string]any{"turn": turn.ID, "post": true})
		},
	}
	r, turn, _ := newReviewRig(t, says(protocol.ContentPart{Text: "fine"}))
	allowed := []string{protocol.MethodModelStream, protocol.MethodBlobRead, protocol.MethodReviewReport,
		protocol.MethodReviewCheck}
	for _, method := range r.options.Table.Methods() {
		if slices.Contains(allowed, method) {
			continue
		}
		offences["the method "+method] = func(r *rig, turn hostcall.Turn) {
			raw := json.RawMessage(fmt.Sprintf(`{"turn":%d}`, turn.ID))
			if method == protocol.MethodToolsChanged {
				raw = json.RawMessage(fmt.Sprintf(`{"hash":%q}`, strings.Repeat("a", 64)))
			}
			// messages of these two methods name no turn
			if slices.Contains([]string{protocol.MethodIndexChanged, protocol.MethodDiskExceeded,
				protocol.MethodRemindersReport}, method) {
				raw = json.RawMessage(`{}`)
			}
			if onlyInOperations(method) {
				raw = json.RawMessage(fmt.Sprintf(`{"operation":%d}`, turn.ID))
			}
			r.conn.HandleCall(t.Context(), &protocol.Request{ID: 1, Method: method, Params: raw})
			r.conn.HandleNotification(&protocol.Request{Method: method, Params: raw})
		}
	}
	for name, offend := range offences {
		t.Run(name, func(t *testing.T) {
			r.restart(turn)
			own := protocol.BlobReadParams{Turn: turn.ID, SHA256: turn.Material, Length: 10}
			if _, err := r.call(protocol.MethodBlobRead, own); err != nil || r.peer.ended != nil {
				t.Fatalf("its material: %v, ended for %v", err, r.peer.ended)
			}
			r.audited = nil
			offend(r, turn)
			if r.peer.ended == nil || len(r.audited) != 1 || !strings.HasPrefix(r.audited[0], "ann worker.offence ") {
				t.Errorf("ended for %v; audited %q", r.peer.ended, r.audited)
			}
			method, is := strings.CutPrefix(name, "the method ")
			want := `kind "review"`
			if onlyInOperations(method) {
				want = "not an operation of this worker's"
			}
			if is && !strings.Contains(r.peer.ended.Error(), want) {
				t.Errorf("ended for %v", r.peer.ended)
			}
		})
	}
}

// onlyInOperations reports whether a method is valid only in operations, which a review's worker
// does not run.
func onlyInOperations(method string) bool {
	return strings.HasPrefix(method, "operation.") ||
		strings.HasPrefix(method, "index.") && method != protocol.MethodIndexChanged
}

// TestUserWorker_ReviewCall_EndsWorker checks that a user's worker may not use child windows or
// send review reports.
func TestUserWorker_ReviewCall_EndsWorker(t *testing.T) {
	for name, offend := range map[string]func(*rig){
		"a window": func(r *rig) { r.window("1", "part 1") },
		"a report": func(r *rig) { r.call(protocol.MethodReviewReport, protocol.ReviewReport{Turn: r.open.Turn.ID}) },
	} {
		r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
		if offend(r); r.peer.ended == nil {
			t.Errorf("%s: it lives", name)
		}
	}
}

func TestReviewReport_IsAcceptedOnceUnchanged(t *testing.T) {
	r, turn, reports := newReviewRig(t, says(protocol.ContentPart{Text: "fine"}))
	want := protocol.ReviewReport{
		Turn:    turn.ID,
		Verdict: "It crashes.",
		Refuted: 2,
		Unread:  []protocol.ReviewText{{Name: "b.go", Text: "too long"}},
		Findings: []protocol.ReviewFinding{
			{
				Path:       "a.go",
				Start:      1,
				Line:       2,
				Side:       protocol.DiffSideLeft,
				Severity:   protocol.SeverityCritical,
				Title:      "x",
				Confidence: 1,
			},
		},
	}
	if _, err := r.call(protocol.MethodReviewReport, want); err != nil || len(*reports) != 1 ||
		fmt.Sprint((*reports)[0]) != fmt.Sprint(want) {
		t.Errorf("%v; took %+v", err, *reports)
	}
	turn.Kind = supervisor.TurnTriage
	r.restart(turn)
	triage := protocol.ReviewReport{
		Turn: turn.ID,
		Triage: &protocol.Triage{
			Labels:    []string{"bug"},
			Priority:  "high",
			Duplicate: 3,
			Related:   []int{4},
			Summary:   "s",
		},
	}
	if _, err := r.call(protocol.MethodReviewReport, triage); err != nil || len(*reports) != 2 {
		t.Errorf("%v; ended for %v", err, r.peer.ended)
	}
}
