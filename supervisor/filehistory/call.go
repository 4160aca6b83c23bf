package filehistory

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
	"mews/supervisor/spans"
)

// MethodHome is the control call for earlier versions of a user's files. It takes a Query and
// returns a Report. Users may ask about their own home. Admins may ask about any user's home, which
// the audit log records.
const MethodHome = "home"

// Action is the task of a Query.
type Action string

const (
	ActionLog     Action = "log"     // list versions
	ActionShow    Action = "show"    // store the bytes of a version, for ActionRead
	ActionDiff    Action = "diff"    // store the difference to now, for ActionRead
	ActionPreview Action = "preview" // count what ActionRestore would change
	ActionRestore Action = "restore"
	ActionRead    Action = "read" // return stored bytes
)

// Query is one request about earlier versions.
type Query struct {
	User   string `json:"user,omitempty"` // user whose home is meant; "" means the caller
	Action Action `json:"action"`
	Path   string `json:"path,omitempty"`  // file or folder; "" means the home
	At     string `json:"at,omitempty"`    // moment in a form that spans.ParseMoment reads
	Point  int64  `json:"point,omitempty"` // number of a version
	// beginning of the nonce of Point; "" means that any history's point will do
	Nonce  protocol.PointNonce `json:"nonce,omitempty"`
	Before int64               `json:"before,omitempty"` // bounds the list of ActionLog; 0 means no bound
	Copy   string              `json:"copy,omitempty"`   // new path for ActionRestore; "" means in place
	Blob   *protocol.BlobRef   `json:"blob,omitempty"`   // bytes for ActionRead
	// Operation of a report, to wait again for the end of its restore; 0 begins a restore
	Operation int64 `json:"operation,omitempty"`
	Offset    int64 `json:"offset,omitempty"`
}

// Report is the answer to a Query. Only the fields of its action are set.
type Report struct {
	Path string `json:"path,omitempty"`
	protocol.FileHistoryResult
	// Operation is the operation of a restore that has not ended; 0 means that it has
	Operation int64  `json:"operation,omitempty"`
	Bytes     []byte `json:"bytes,omitempty"` // of ActionRead; none after the end
}

// maxRead is the most bytes of one answer to ActionRead.
const maxRead = 256 << 10

func (h *FileHistory) calls() []feature.ControlCall {
	return []feature.ControlCall{feature.NewControlCall(MethodHome, h.answer)}
}

var actionsOfHome = map[Action]protocol.FileHistoryAction{ActionLog: protocol.FileHistoryVersions,
	ActionShow: protocol.FileHistoryShow, ActionDiff: protocol.FileHistoryDiff,
	ActionPreview: protocol.FileHistoryPreview, ActionRestore: protocol.FileHistoryRestore}

func (h *FileHistory) answer(ctx context.Context, by feature.Caller, q Query) (r Report, err error) {
	action, known := actionsOfHome[q.Action]
	if !known && q.Action != ActionRead {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textNoAction, string(q.Action))
	}
	audited := "home." + string(q.Action)
	// the audit log already has the action that stored the bytes, or that began the restore
	if q.Action == ActionRead || q.Action == ActionRestore && q.Operation != 0 {
		audited = ""
	}
	user, err := by.UserFor(q.User, audited)
	if err != nil {
		return r, err
	}
	if q.Action == ActionRead {
		return h.read(ctx, user.Name, q)
	}
	asked := request{admin: isOther(by, q.User), nonce: q.Nonce}
	if asked.path, err = cleanPath(q.Path); err != nil {
		return r, err
	}
	if q.At != "" {
		if asked.at, err = spans.ParseMoment(q.At, h.Now().In(h.Zone(user.Name))); err != nil {
			return r, err
		}
	}
	if q.Point == 0 && asked.at.IsZero() && (q.Action == ActionPreview || q.Action == ActionRestore) {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textNoMomentGiven)
	}
	p := asked.parameters(action, q.Point)
	p.Before = q.Before
	if q.Copy != "" {
		if p.Copy, err = cleanPath(q.Copy); err != nil {
			return r, err
		}
	}
	if q.Action == ActionRestore {
		return h.restoreByCall(ctx, user.Name, asked, q, p)
	}
	r.Path = asked.path
	r.FileHistoryResult, err = h.run(ctx, user.Name, 0, p)
	for i := range r.Versions {
		r.Versions[i].At = r.Versions[i].At.In(h.Zone(user.Name)) // as --at is read
	}
	h.handed.add(user.Name, r.Blob, h.Now())
	return r, err
}

// isOther reports whether the caller names another user than themselves.
func isOther(by feature.Caller, user string) bool {
	if user == "" {
		return false
	}
	own, err := by.UserFor("", "") // root need not be a user
	return err != nil || own.Name != user
}

// read returns a part of bytes that ActionShow or ActionDiff has stored.
func (h *FileHistory) read(ctx context.Context, user string, q Query) (r Report, err error) {
	if q.Blob == nil || q.Offset < 0 {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textNoAction, string(q.Action))
	}
	size, owned, err := h.Blobs.IsOwner(ctx, user, q.Blob.SHA256)
	if err != nil || !owned || !h.handed.has(user, q.Blob.SHA256, h.Now()) {
		return r, cmp.Or(err, supervisor.Errorf(supervisor.CodeNotFound, textNoBytes))
	}
	if q.Offset >= size {
		return r, nil
	}
	r.Bytes = make([]byte, min(maxRead, size-q.Offset))
	if _, _, err = h.Spool.ReadAt(q.Blob.SHA256, r.Bytes, q.Offset); err != nil {
		return Report{}, fmt.Errorf("read an earlier version: %w", err)
	}
	return r, nil
}

// WriteBlob writes the bytes of a report to w. ask sends a query.
func WriteBlob(user string, blob *protocol.BlobRef, w io.Writer, ask func(Query) (Report, error)) error {
	if blob == nil {
		return nil
	}
	for offset := int64(0); offset < blob.Size; {
		part, err := ask(Query{User: user, Action: ActionRead, Blob: blob, Offset: offset})
		if err != nil {
			return err
		}
		if len(part.Bytes) == 0 {
			return io.ErrUnexpectedEOF
		}
		if _, err := w.Write(part.Bytes); err != nil {
			return err
		}
		offset += int64(len(part.Bytes))
	}
	return nil
}

// FormatReport formats versions, or the counts of a restore, for a terminal.
func FormatReport(action Action, r Report) string {
	var b strings.Builder
	switch action {
	case ActionLog:
		for _, v := range r.Versions {
			fmt.Fprintf(&b, textTerminalLine, v.Name(), v.At.Format("2006-01-02 15:04"),
				printable.DropControls(stateText(v)),
				strings.TrimSpace(printable.DropControls(authorText(v, v.At.Local(), noQuote)+"  "+v.Path)))
		}
		if len(r.Versions) == 0 {
			return textTerminalNone
		}
		if r.More {
			fmt.Fprintf(&b, textTerminalOlder, r.Versions[len(r.Versions)-1].Point)
		}
	case ActionDiff:
		if r.Blob == nil {
			return textTerminalSame
		}
	case ActionPreview, ActionRestore:
		texts := []string{textTerminalWould, textTerminalDelete, textTerminalNotKept, textTerminalFailed}
		if action == ActionRestore {
			texts = []string{textTerminalRestored, textTerminalDeleted, textTerminalNotKept, textTerminalFailed}
		}
		for i, c := range []protocol.PathCount{r.Restored, r.Deleted, r.NotKept, r.Failed} {
			if c.Count > 0 {
				fmt.Fprintf(&b, textTerminalCounts, texts[i], nameCounted(c, printable.DropControls))
			}
		}
		if r.Why != "" {
			fmt.Fprintf(&b, textTerminalEarly, printable.DropControls(r.Why))
		}
		switch {
		case b.Len() == 0:
			b.WriteString(textTerminalSame)
		case action == ActionPreview:
			b.WriteString(textTerminalPreview)
		}
	}
	return b.String()
}

func noQuote(text string) string { return text }
