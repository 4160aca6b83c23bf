package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"time"

	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// auditVerb runs `mews audit`, which lists the audit log, and `mews audit verify`, which checks the
// log.
func auditVerb(ctx context.Context, con console, args []string) error {
	if len(args) > 0 && args[0] == "verify" {
		return auditVerify(ctx, con, args[1:])
	}
	set := flags(con, "audit")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagAuditUser)
	action := set.String("action", "", flagAuditAction)
	since := set.String("since", "", flagSince)
	limit := set.Int("limit", 100, flagLimit)
	asJSON := set.Bool("json", false, flagAuditJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	from, err := parseSince(*since, time.Now())
	if err == nil && *limit < 0 {
		err = fmt.Errorf(textWrongLimit, *limit)
	}
	if err != nil {
		fmt.Fprintln(con.err, "mews audit:", err)
		return errMisuse
	}
	ask := func(q admin.AuditQuery) (admin.AuditPage, error) {
		return app.CallAdminService[admin.AuditPage](ctx, cfg, admin.MethodAuditList, q)
	}
	rows, err := admin.ReadAuditLog(ask, admin.AuditQuery{User: *user, Action: *action, Since: from}, *limit)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		fmt.Fprintln(con.err, textAuditEmpty+ofUserText(*user))
	}
	return printAudit(con.out, rows, *asJSON)
}

// ofUserText says that the named user has no rows. The name may be mistyped.
func ofUserText(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(textAuditEmptyOf, name)
}

func printAudit(w io.Writer, rows []admin.AuditLine, asJSON bool) error {
	for _, r := range rows {
		if asJSON {
			if err := json.NewEncoder(w).Encode(r); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintln(w, r.Text()); err != nil {
			return err
		}
	}
	return nil
}

// headPattern matches a head of the audit log: 64 hexadecimal digits.
var headPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// auditVerify runs `mews audit verify`.
func auditVerify(ctx context.Context, con console, args []string) error {
	set, file := subcommand{verb: "audit", name: "verify"}.flags(con)
	head := set.String("head", "", flagHead)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	if *head != "" && !headPattern.MatchString(*head) {
		fmt.Fprintf(con.err, textWrongHead, *head)
		return errMisuse
	}
	r, err := app.CallAdminService[admin.AuditReport](ctx, cfg, admin.MethodAuditVerify,
		admin.AuditVerifyRequest{Head: *head})
	if err != nil {
		return err
	}
	if *asJSON {
		if err := printJSON(con.out, r); err != nil {
			return err
		}
	} else if r.Broken == 0 {
		fmt.Fprint(con.out, r.Text())
	}
	if r.Broken != 0 {
		return fmt.Errorf(textLogBroken, r.Broken, r.Why)
	}
	return nil
}
