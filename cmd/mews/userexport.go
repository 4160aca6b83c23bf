package main

import (
	"context"
	"errors"
	"fmt"
	"mews/supervisor/app"
	"os"

	"mews/cmd/mews/chat"
	"mews/supervisor"
)

// userExport is `mews user export`.
func userExport(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	output := set.String("output", "", "write it to `FILE`, which must not be there yet; without it, to standard output")
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	if *output == "" {
		if chat.IsTerminal(con.out) {
			return app.Refused(supervisor.CodeInvalid, "An export is no text for a terminal. Say where it goes, with --output FILE.")
		}
		return app.ExportTo(ctx, cfg, name, con.out)
	}
	f, err := os.OpenFile(*output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	err = app.ExportTo(ctx, cfg, name, f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(*output))
	}
	_, err = fmt.Fprintf(con.out, "%s: all that is kept of %s; what could not be had is listed in its left-out.txt\n", *output, name)
	return err
}
