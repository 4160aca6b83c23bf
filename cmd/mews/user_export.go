package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mews/cmd/mews/chat"
	"mews/supervisor"
	"mews/supervisor/app"
)

// userExport is `mews user export`.
func userExport(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	output := set.String("output", "", flagOutput)
	name, cfg, err := parseUserName(set, file, args)
	if err != nil {
		return err
	}
	if *output == "" {
		if chat.IsTerminal(con.out) {
			return supervisor.Errorf(supervisor.CodeInvalid, textExportTerminal)
		}
		return app.WriteUserExport(ctx, cfg, name, con.out)
	}
	f, err := os.OpenFile(*output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	err = app.WriteUserExport(ctx, cfg, name, f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(*output))
	}
	_, err = fmt.Fprintf(con.out, textExported, *output, name)
	return err
}
