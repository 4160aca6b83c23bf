package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mews/cmd/mews/chat"
	"mews/config"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// userExport runs `mews user export`.
func userExport(ctx context.Context, con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	output := set.String("output", "", flagOutput)
	history := set.Bool("history", false, flagExportHistory)
	name, cfg, err := parseUserName(set, file, args)
	if err != nil {
		return err
	}
	q := admin.ExportUserRequest{User: name, History: *history}
	if *output == "" {
		if chat.IsTerminal(con.out) {
			return supervisor.Errorf(supervisor.CodeInvalid, textExportTerminal)
		}
		return writeExport(ctx, con, cfg, q, con.out)
	}
	err = writeNewFile(*output, func(f *os.File) error { return writeExport(ctx, con, cfg, q, f) })
	if err == nil {
		_, err = fmt.Fprintf(con.out, textExported, *output, name)
	}
	return err
}

// writeExport writes an export to w, and warns if the audit log has no entry about it.
func writeExport(ctx context.Context, con console, cfg *config.Config, q admin.ExportUserRequest, w io.Writer) error {
	note, err := app.WriteUserExport(ctx, cfg, q, w)
	if note != "" {
		fmt.Fprintln(con.err, "mews: "+note)
	}
	return err
}

// writeNewFile writes a file that must not exist yet. Until the content is complete, the file has
// another name beside path.
func writeNewFile(path string, write func(*os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("write the export: %w", &fs.PathError{Op: "open", Path: path, Err: syscall.EEXIST})
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".partial-*") // the new file has mode 0600
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	if err = errors.Join(write(f), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
