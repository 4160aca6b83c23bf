package main

import (
	"context"
	"fmt"

	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// reloadVerb runs `mews reload`.
func reloadVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "reload")
	file := set.String("config", "", flagReloadConfig)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	list, err := app.CallAdminService[admin.ConfigurationChanges](ctx, cfg, admin.MethodReload,
		admin.ReloadRequest{File: cfg.File})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(con.out, list)
	}
	if len(list.Changes) == 0 {
		fmt.Fprintln(con.out, textUnchanged)
	}
	for _, c := range list.Changes {
		fmt.Fprintln(con.out, c)
	}
	if list.Note != "" {
		fmt.Fprintln(con.out, list.Note)
	}
	return nil
}
