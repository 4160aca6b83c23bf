package main

import (
	"context"
	"flag"
	"fmt"

	"mews/cmd/mews/chat"
	"mews/config"
	"mews/protocol"
	"mews/supervisor/filehistory"
	"mews/supervisor/printable"
)

// homeVerb runs `mews home`, for earlier versions of the files in a home.
func homeVerb(ctx context.Context, con console, args []string) error {
	return choose(ctx, con, "home", []subcommand{{name: "log", run: homeLog}, {name: "show", run: homeShow},
		{name: "diff", run: homeDiff}, {name: "restore", run: homeRestore}}, args)
}

// homeQuery holds the flags of a subcommand of `mews home`.
type homeQuery struct {
	filehistory.Query
	set    *flag.FlagSet
	file   *string // value of --config
	asJSON *bool
	cfg    *config.Config
}

// newHomeQuery makes the flags that all subcommands have.
func newHomeQuery(con console, v subcommand, action filehistory.Action) *homeQuery {
	q := &homeQuery{Query: filehistory.Query{Action: action}}
	q.set, q.file = v.flags(con)
	q.asJSON = q.set.Bool("json", false, flagJSON)
	q.set.StringVar(&q.User, "user", "", flagMemoryUser)
	q.set.StringVar(&q.At, "at", "", flagHomeAt)
	return q
}

// addVersion adds the flag that chooses a version.
func (q *homeQuery) addVersion() {
	q.set.Func("version", flagHomeVersion, func(name string) (err error) {
		q.Point, q.Nonce, err = protocol.ParseVersion(name)
		return err
	})
}

// parse reads the flags and the path. The path may be missing if least is 0.
func (q *homeQuery) parse(con console, args []string, least int) error {
	words, cfg, err := parseClient(q.set, q.file, args, least, 1)
	if err != nil {
		return err
	}
	if q.cfg = cfg; len(words) > 0 {
		q.Path = words[0]
	}
	if q.At != "" && q.Point != 0 {
		fmt.Fprint(con.err, textHomeAtAndVersion)
		return errMisuse
	}
	return nil
}

// ask sends a query to the service.
func (q *homeQuery) ask(ctx context.Context) func(filehistory.Query) (filehistory.Report, error) {
	return func(query filehistory.Query) (filehistory.Report, error) {
		return askFor[filehistory.Report](ctx, q.cfg, filehistory.MethodHome, query)
	}
}

// homeLog runs `mews home log`.
func homeLog(ctx context.Context, con console, v subcommand, args []string) error {
	q := newHomeQuery(con, v, filehistory.ActionLog)
	q.set.Int64Var(&q.Before, "before", 0, flagHomeBefore)
	if err := q.parse(con, args, 0); err != nil {
		return err
	}
	return q.showReport(ctx, con)
}

// showReport sends the query, and shows the report.
func (q *homeQuery) showReport(ctx context.Context, con console) error {
	report, err := q.ask(ctx)(q.Query)
	for err == nil && report.Operation != 0 { // the restore goes on
		q.Operation = report.Operation
		report, err = q.ask(ctx)(q.Query)
	}
	if err != nil {
		return err
	}
	return show(con.out, report, *q.asJSON, func(r filehistory.Report) string {
		return filehistory.FormatReport(q.Action, r)
	})
}

// homeShow runs `mews home show`, which writes the bytes of a version.
func homeShow(ctx context.Context, con console, v subcommand, args []string) error {
	return homeBytes(ctx, con, v, args, filehistory.ActionShow)
}

// homeDiff runs `mews home diff`.
func homeDiff(ctx context.Context, con console, v subcommand, args []string) error {
	return homeBytes(ctx, con, v, args, filehistory.ActionDiff)
}

func homeBytes(ctx context.Context, con console, v subcommand, args []string, action filehistory.Action) error {
	q := newHomeQuery(con, v, action)
	q.addVersion()
	if err := q.parse(con, args, 1); err != nil {
		return err
	}
	report, err := q.ask(ctx)(q.Query)
	if err != nil {
		return err
	}
	if *q.asJSON {
		return printJSON(con.out, report)
	}
	if _, err := fmt.Fprint(con.out, filehistory.FormatReport(action, report)); err != nil {
		return err
	}
	out := con.out
	if chat.IsTerminal(out) {
		out = printable.NewWriter(out)
	}
	return filehistory.WriteBlob(q.User, report.Blob, out, q.ask(ctx))
}

// homeRestore runs `mews home restore`. Without --yes it only counts what would change.
func homeRestore(ctx context.Context, con console, v subcommand, args []string) error {
	q := newHomeQuery(con, v, filehistory.ActionPreview)
	q.addVersion()
	q.set.StringVar(&q.Copy, "copy", "", flagHomeCopy)
	yes := q.set.Bool("yes", false, flagHomeYes)
	if err := q.parse(con, args, 1); err != nil {
		return err
	}
	if *yes {
		q.Action = filehistory.ActionRestore
	}
	return q.showReport(ctx, con)
}
