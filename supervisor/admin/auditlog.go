package admin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// AuditQuery asks for entries of the audit log, oldest first.
type AuditQuery struct {
	User   string    `json:"user,omitempty"`   // the user of the entries; "" means all users
	Action string    `json:"action,omitempty"` // a prefix of the entries' actions
	Since  time.Time `json:"since,omitzero"`
	After  int64     `json:"after,omitempty"` // only entries with a greater id
}

// AuditPage is a page of audit entries. It fits on one line of the control socket.
type AuditPage struct {
	Rows []AuditLine `json:"rows"`
	More bool        `json:"more,omitempty"` // there may be more entries after this page
}

// AuditLine is sqlite.AuditEntry as JSON.
type AuditLine struct {
	ID        int64     `json:"id"`
	User      string    `json:"user,omitempty"`
	Action    string    `json:"action"`
	Detail    string    `json:"detail,omitempty"`
	CreatedAt time.Time `json:"at"`
}

const (
	pageRows = 500
	// The most bytes of details in a page: a line of the socket is at most 1 MiB, and JSON may need
	// six bytes for one byte.
	pageBytes = 256 << 10
	maxDetail = 64 << 10
)

// listAudit returns a page of the audit log.
func (o *Service) listAudit(ctx context.Context, _ Caller, q AuditQuery) (AuditPage, error) {
	rows, err := o.Log.List(
		ctx,
		sqlite.AuditFilter{User: q.User, Action: q.Action, Since: q.Since, After: q.After, Limit: pageRows},
	)
	if err != nil {
		return AuditPage{}, err
	}
	page, size := AuditPage{Rows: []AuditLine{}, More: len(rows) == pageRows}, 0
	for _, r := range rows {
		if len(r.Detail) > maxDetail {
			r.Detail = r.Detail[:maxDetail]
		}
		if size += len(r.Detail) + len(r.User) + len(r.Action); size > pageBytes && len(page.Rows) > 0 {
			page.More = true
			break
		}
		page.Rows = append(page.Rows, AuditLine(r))
	}
	return page, nil
}

// AuditVerifyRequest are the parameters of audit.verify.
type AuditVerifyRequest struct {
	Head string `json:"head,omitempty"` // the hash at the end of the log in an earlier report
}

// AuditReport is sqlite.AuditReport as JSON. Its Why is a whole sentence.
type AuditReport struct {
	Rows   int64  `json:"rows"`
	First  int64  `json:"first"`
	Last   int64  `json:"last"`
	Broken int64  `json:"broken,omitempty"`
	Why    string `json:"why,omitempty"`
	Early  int64  `json:"early,omitempty"`
	Head   string `json:"head"`
}

// verifyAudit checks the hashes of the whole audit log.
func (o *Service) verifyAudit(ctx context.Context, _ Caller, q AuditVerifyRequest) (AuditReport, error) {
	r, err := o.Log.Verify(ctx, q.Head)
	return AuditReport{
		Rows:   r.Rows,
		First:  r.First,
		Last:   r.Last,
		Broken: r.Broken,
		Why:    auditFault(r),
		Early:  r.Early,
		Head:   r.Head,
	}, err
}

// auditFault describes what is wrong with an audit log; "" means no fault.
func auditFault(r sqlite.AuditReport) string {
	return strings.NewReplacer("{from}", fmt.Sprint(r.MissingFrom), "{to}", fmt.Sprint(r.MissingTo), "{row}", fmt.Sprint(r.Broken)).
		Replace(textsLogFault[r.Why])
}

// Text returns the audit entry as a line for a terminal.
func (l AuditLine) Text() string {
	return strings.TrimRight(
		fmt.Sprintf(
			"%d  %s  %-12s  %-18s  %s",
			l.ID,
			l.CreatedAt.Local().Format("2006-01-02 15:04:05"),
			orDash(printable.EscapeControls(l.User)),
			printable.EscapeControls(l.Action),
			printable.EscapeControls(l.Detail),
		),
		" ",
	)
}

// Text returns the report on a log without a fault. It also says which changes the check can't
// detect.
func (r AuditReport) Text() string {
	text := fmt.Sprintf(textLogFits, amount.Plural(int(r.Rows), "row", "rows"))
	if r.Early > 0 {
		text += fmt.Sprintf(textLogEarly, amount.Plural(int(r.Early), "row is", "rows are"))
	}
	return text + fmt.Sprintf(textLogHead, r.Head)
}

// ReadAuditLog fetches the audit log page by page. It returns the newest limit rows, oldest first.
// limit 0 means all rows.
func ReadAuditLog(ask func(AuditQuery) (AuditPage, error), q AuditQuery, limit int) (rows []AuditLine, err error) {
	for more := true; more; {
		page, err := ask(q)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
		if limit > 0 && len(rows) > limit {
			rows = append([]AuditLine(nil), rows[len(rows)-limit:]...)
		}
		if more = page.More && len(page.Rows) > 0; more {
			q.After = page.Rows[len(page.Rows)-1].ID
		}
	}
	return rows, nil
}
