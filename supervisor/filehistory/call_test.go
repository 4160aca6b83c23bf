package filehistory

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// caller is an account that may ask about ann, and about others if it is an admin.
func caller(audited *[]string, admin bool) feature.Caller {
	return feature.Caller{Admin: admin, UserFor: func(user, action string) (supervisor.User, error) {
		if user != "" && user != "ann" && !admin {
			return supervisor.User{}, supervisor.Errorf(supervisor.CodeForbidden, "not yours")
		}
		if user == "" {
			user = "ann"
		}
		if action != "" {
			*audited = append(*audited, user+" "+action)
		}
		return supervisor.User{Name: user}, nil
	}}
}

func TestHomeCall_Actions_AskWorkerOfUser(t *testing.T) {
	r := newRig(t)
	r.worker.results[protocol.FileHistoryRestore] = protocol.FileHistoryResult{Restored: protocol.PathCount{Count: 1,
		Named: []string{"a"}},
		Span: &protocol.HistorySpan{From: 3, To: 4}}
	for _, c := range []struct {
		q    Query
		want string // the parameters for the worker; "" means an error
	}{
		{Query{Action: ActionLog}, "versions . 0 0 "},
		{Query{Action: ActionLog, Path: "notes/", Before: 9}, "versions notes 0 9 "},
		{Query{Action: ActionShow, Path: "a", Point: 7, Nonce: "ab3f"}, "show a 7-ab3f 0 "},
		{Query{Action: ActionDiff, Path: "a", At: "yesterday 9:00"}, "diff a 0 0 2026-11-29 09:00"},
		{Query{Action: ActionPreview, Path: "a", At: "2h", Copy: "b"}, "preview a 0 0 b2026-11-30 10:00"},
		{Query{Action: ActionRestore, Path: "a", Point: 7, Copy: "b"}, "restore a 7 0 b"},
		{Query{Action: ActionRestore, Path: "a"}, ""},
		{Query{Action: ActionPreview}, ""},
		{Query{Action: ActionShow, Path: "../a", Point: 7}, ""},
		{Query{Action: ActionRestore, Path: "a", Point: 7, Copy: "../b"}, ""},
		{Query{Action: ActionRestore, Path: "a", Point: -7}, ""},
		{Query{Action: ActionLog, At: "tomorrow"}, ""},
		{Query{Action: "forget", Path: "a"}, ""},
		{Query{Action: ActionRead}, ""},
		{Query{Action: ActionLog, User: "bob"}, ""},
	} {
		r.worker.asked = nil
		_, err := r.answer(t.Context(), caller(new([]string), false), c.q)
		got := ""
		for _, p := range r.worker.asked {
			version := protocol.FileVersion{Point: p.Point, Nonce: p.Nonce}.Name()
			got = fmt.Sprintf("%s %s %s %d %s", p.Action, p.Path, version, p.Before, p.Copy)
			if !p.At.IsZero() {
				got += p.At.Format("2006-01-02 15:04")
			}
		}
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: asked for %q, %v, want %q", c.q, got, err, c.want)
		}
	}
	if got := r.ledger(); len(got) != 1 || !strings.HasPrefix(got[0], "files.restored b a copy of a, as of ") {
		t.Errorf("the ledger has %q", got)
	}
	var audited []string
	_, err := r.answer(t.Context(), caller(&audited, true), Query{User: "bob", Action: ActionLog})
	if err != nil || !slices.Equal(audited, []string{"bob home.log"}) || r.worker.done.User != "bob" {
		t.Errorf("an admin: %v, audited %q", err, audited)
	}
}

// TestHomeCall_LongRestore_IsAskedAgain: a restore that outlasts a call is recorded once. That
// holds even if nobody asks again.
func TestHomeCall_LongRestore_IsAskedAgain(t *testing.T) {
	r := newRig(t)
	r.callWait = time.Millisecond
	r.worker.results[protocol.FileHistoryRestore] = protocol.FileHistoryResult{Restored: protocol.PathCount{Count: 1,
		Named: []string{"a"}}, Span: &protocol.HistorySpan{From: 3, To: 4}}
	ask := func(q Query) (Report, error) { return r.answer(t.Context(), caller(new([]string), true), q) }
	q := Query{Action: ActionRestore, Path: "a", Point: 7}
	r.worker.busy = 2
	for range 2 {
		report, err := ask(q)
		if err != nil || report.Operation == 0 || report.Span != nil {
			t.Fatalf("got %+v, %v", report, err)
		}
		q.Operation = report.Operation
	}
	if _, err := ask(Query{User: "bob", Action: ActionRestore, Path: "a", Point: 7,
		Operation: q.Operation}); err == nil {
		t.Error("another user's operation was waited for")
	}
	report, err := ask(q)
	if err != nil || report.Operation != 0 || report.Restored.Count != 1 || len(r.worker.asked) != 1 {
		t.Errorf("got %+v, %v, and the worker was asked for %v", report, err, r.worker.asked)
	}
	if _, err := ask(q); err == nil {
		t.Error("a finished operation was waited for again")
	}
	r.worker.busy = 1
	q.Operation = 0
	if report, err = ask(q); err != nil || report.Operation == 0 {
		t.Fatalf("got %+v, %v", report, err)
	}
	r.Now = time.Now
	r.finishAbandoned(t.Context())
	if got := r.ledger(); len(got) != 1 {
		t.Errorf("the ledger has %q", got)
	}
	r.Now = func() time.Time { return time.Now().Add(time.Hour) }
	r.finishAbandoned(t.Context())
	r.finishAbandoned(t.Context())
	if got := r.ledger(); len(got) != 2 {
		t.Errorf("the ledger has %q", got)
	}
}

// A restore by an admin has one row, however often the call asks for its end.
func TestHomeCall_LongRestore_IsAuditedOnce(t *testing.T) {
	r := newRig(t)
	r.callWait, r.worker.busy = time.Millisecond, 3
	var audited []string
	q := Query{User: "bob", Action: ActionRestore, Path: "a", Point: 7}
	for range 3 {
		report, err := r.answer(t.Context(), caller(&audited, true), q)
		if err != nil || report.Operation == 0 {
			t.Fatalf("got %+v, %v", report, err)
		}
		q.Operation = report.Operation
	}
	if !slices.Equal(audited, []string{"bob home.restore"}) {
		t.Errorf("audited %q", audited)
	}
	r.worker.done.State = supervisor.OperationDone
	if err := r.worker.store(supervisor.Operation{User: "bob", Kind: protocol.OperationKindFileHistory,
		Parameters: "{}"}); err != nil {
		t.Fatal(err)
	}
	q.Operation = r.worker.done.ID
	if got, err := r.answer(t.Context(), caller(new([]string), true), q); err == nil {
		t.Errorf("an admin waited for a user's own restore: %+v", got)
	}
	q.Action, audited = ActionLog, nil
	if _, err := r.answer(t.Context(), caller(&audited, true), q); err != nil || len(audited) != 1 {
		t.Errorf("another action: %v, audited %q", err, audited)
	}
}

// An operation whose result can't be read is reported once.
func TestFinishAbandoned_BadResult_IsDeleted(t *testing.T) {
	for name, op := range map[string]supervisor.Operation{
		"result":     {Parameters: `{"action":"restore","path":"a"}`, Result: `{"span":7}`},
		"parameters": {Parameters: `{"action":7}`, Result: `{"span":{"from":3,"to":4}}`},
	} {
		r := newRig(t)
		reports := 0
		r.Report = func(error) { reports++ }
		r.worker.done = supervisor.Operation{State: supervisor.OperationDone, Result: op.Result}
		if err := r.worker.store(supervisor.Operation{User: "ann", Kind: protocol.OperationKindFileHistory,
			Parameters: op.Parameters}); err != nil {
			t.Fatal(err)
		}
		r.Now = func() time.Time { return time.Now().Add(time.Hour) }
		r.finishAbandoned(t.Context())
		r.finishAbandoned(t.Context())
		if _, found, err := r.Kept.Find(t.Context(), r.worker.done.ID); reports != 1 || found || err != nil {
			t.Errorf("a bad %s: %d reports, found: %t, %v", name, reports, found, err)
		}
	}
}

// Times are in the user's time zone, in which --at is read too.
func TestHomeCall_Log_HasUsersZone(t *testing.T) {
	r := newRig(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	r.Zone = func(string) *time.Location { return berlin }
	v := version(7, sha, protocol.HistoryAuthorProgram, "rm a")
	v.At = time.Date(2026, 11, 29, 7, 0, 31, 0, time.UTC)
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{Versions: []protocol.FileVersion{v}}
	report, err := r.answer(t.Context(), caller(new([]string), false), Query{Action: ActionLog, Path: "a"})
	if text := FormatReport(ActionLog, report); err != nil || !strings.Contains(text, "2026-11-29 08:00 ") {
		t.Fatalf("got %q, %v", text, err)
	}
	_, err = r.answer(t.Context(), caller(new([]string), false), Query{Action: ActionDiff, Path: "a",
		At: "2026-11-29 08:00"})
	if got := r.worker.last().At; err != nil || got.Before(v.At) || got.Sub(v.At) >= time.Minute {
		t.Errorf("--at asks for %s, %v", got, err)
	}
}

// The ledger and a notice say that an admin restored a user's file. They do not say so about an
// admin's own file, even if the call names the admin.
func TestHomeCall_RestoreByAdmin_TellsUser(t *testing.T) {
	for user, want := range map[string]string{"": "files.restored", "ann": "files.restored",
		"bob": "files.restored-by-admin"} {
		r := newRig(t)
		r.worker.results[protocol.FileHistoryRestore] = protocol.FileHistoryResult{
			Restored: protocol.PathCount{Count: 1, Named: []string{"a"}},
			Span:     &protocol.HistorySpan{From: 3, To: 4, Nonce: "9f3a"}}
		_, err := r.answer(t.Context(), caller(new([]string), true), Query{User: user, Action: ActionRestore, Path: "a",
			At: "2h"})
		if err != nil {
			t.Fatal(err)
		}
		list, err := r.db.Effects().List(t.Context(), supervisor.EffectQuery{User: cmp.Or(user, "ann"), Limit: 10})
		if err != nil || len(list) != 1 || list[0].Kind != want {
			t.Errorf("for %q the ledger has %+v, %v", user, list, err)
			continue
		}
		told := []string{"bob admin restore 4 9f3a: " + fmt.Sprintf(textAdminRestored, "`a`", list[0].Detail)}
		if user != "bob" {
			told = nil
		}
		if !slices.Equal(r.told, told) {
			t.Errorf("for %q told %q, want %q", user, r.told, told)
		}
	}
}

// show stores bytes in a call of a user; "" means ann.
func (r *rig) show(blob *protocol.BlobRef, user string) {
	r.Helper()
	r.worker.results[protocol.FileHistoryDiff] = protocol.FileHistoryResult{Blob: blob}
	if _, err := r.answer(r.Context(), caller(new([]string), true), Query{User: user, Action: ActionDiff, Path: "a",
		Point: 7}); err != nil {
		r.Fatal(err)
	}
}

// Bytes come in parts. Only the owner of the bytes gets them.
func TestHomeCall_Read_ReturnsOwnBytes(t *testing.T) {
	r := newRig(t)
	for _, size := range []int{0, 1, maxRead, maxRead + 1, 3 * maxRead} {
		blob, written := r.store(strings.Repeat("x", size)), new(bytes.Buffer)
		r.show(blob, "")
		err := WriteBlob("", blob, written, func(q Query) (Report, error) {
			return r.answer(t.Context(), caller(new([]string), false), q)
		})
		if err != nil || written.Len() != size {
			t.Errorf("%d bytes: wrote %d, %v", size, written.Len(), err)
		}
	}
	theirs, upload := r.store("secret"), r.store("an upload")
	r.show(theirs, "")
	r.show(upload, "bob") // who does not own it
	for name, q := range map[string]Query{"another user": {User: "bob", Action: ActionRead, Blob: theirs},
		"no such bytes":             {Action: ActionRead, Blob: &protocol.BlobRef{SHA256: string(sha), Size: 3}},
		"a bad name":                {Action: ActionRead, Blob: &protocol.BlobRef{SHA256: "../../mews.db", Size: 3}},
		"a negative part":           {Action: ActionRead, Blob: theirs, Offset: -1},
		"bytes that no call stored": {Action: ActionRead, Blob: upload},
		"bytes of another user":     {User: "bob", Action: ActionRead, Blob: upload}} {
		if got, err := r.answer(t.Context(), caller(new([]string), true), q); err == nil {
			t.Errorf("%s: %q", name, got.Bytes)
		}
	}
	if got, err := r.answer(t.Context(), caller(new([]string), false), Query{Action: ActionRead, Blob: theirs,
		Offset: 6}); err != nil || got.Bytes != nil {
		t.Errorf("behind the end: %+v, %v", got, err)
	}
}

// An admin gets the bytes of another user only after a call that the audit log has.
func TestHomeCall_Read_FollowsAuditedCall(t *testing.T) {
	r := newRig(t)
	version := r.store("secret")
	var audited []string
	admin := caller(&audited, true)
	read := Query{User: "ann", Action: ActionRead, Blob: version}
	if got, err := r.answer(t.Context(), admin, read); err == nil || len(audited) > 0 {
		t.Errorf("before: %q, audited %q", got.Bytes, audited)
	}
	r.worker.results[protocol.FileHistoryShow] = protocol.FileHistoryResult{Blob: version}
	if _, err := r.answer(t.Context(), admin, Query{User: "ann", Action: ActionShow, Path: "a", Point: 7}); err != nil {
		t.Fatal(err)
	}
	got, err := r.answer(t.Context(), admin, read)
	if err != nil || string(got.Bytes) != "secret" || !slices.Equal(audited, []string{"ann home.show"}) {
		t.Errorf("after: %q, %v, audited %q", got.Bytes, err, audited)
	}
	r.Now = func() time.Time { return now.Add(readableFor + 1) }
	if got, err := r.answer(t.Context(), admin, read); err == nil {
		t.Errorf("much later: %q", got.Bytes)
	}
}

func TestFormatReport_Actions_AreWorded(t *testing.T) {
	v := version(7, sha, protocol.HistoryAuthorProgram, "rm a")
	v.Path = "a\x1b"
	counts := protocol.FileHistoryResult{Restored: protocol.PathCount{Count: 3, Named: []string{"a", "b"}},
		Deleted: protocol.PathCount{Count: 1, Named: []string{"c"}},
		NotKept: protocol.PathCount{Count: 1, Named: []string{"d"}}}
	line := func(text, names string) string { return fmt.Sprintf(textTerminalCounts, text, names) }
	for name, c := range map[string]struct {
		action Action
		result protocol.FileHistoryResult
		want   string
	}{
		"log": {ActionLog, protocol.FileHistoryResult{More: true, Versions: []protocol.FileVersion{v}},
			fmt.Sprintf(textTerminalLine, "7-7e57", at.Format("2006-01-02 15:04"), "3 bytes", "program rm a  a") +
				fmt.Sprintf(textTerminalOlder, 7)},
		"empty log": {ActionLog, protocol.FileHistoryResult{}, textTerminalNone},
		"preview": {ActionPreview, counts, line(textTerminalWould, "a, b and 1 more file") + line(textTerminalDelete,
			"c") +
			line(textTerminalNotKept, "d") + textTerminalPreview},
		"restore": {ActionRestore, counts, line(textTerminalRestored, "a, b and 1 more file") +
			line(textTerminalDeleted, "c") +
			line(textTerminalNotKept, "d")},
		"ended early": {ActionRestore, protocol.FileHistoryResult{Restored: protocol.PathCount{Count: 1,
			Named: []string{"a"}}, Failed: protocol.PathCount{Count: 1, Named: []string{"b"}}, Why: "no room"},
			line(textTerminalRestored, "a") + line(textTerminalFailed, "b") +
				fmt.Sprintf(textTerminalEarly, "no room")},
		"nothing": {ActionRestore, protocol.FileHistoryResult{}, textTerminalSame},
		"same":    {ActionDiff, protocol.FileHistoryResult{}, textTerminalSame},
		"show":    {ActionShow, protocol.FileHistoryResult{}, ""},
	} {
		if got := FormatReport(c.action, Report{FileHistoryResult: c.result}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
