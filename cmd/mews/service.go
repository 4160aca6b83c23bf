package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"mews/supervisor/app"
	"mews/supervisor/unit"
)

// serviceVerb runs `mews service`. It prints the system's command, and runs it.
func serviceVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "service")
	name := set.String("instance", "", flagInstance)
	words, err := parseNames(set, args, 1, 1)
	if err != nil {
		return err
	}
	instance, err := unit.NamedInstance(*name)
	if err != nil {
		return err
	}
	command, err := instance.Command(words[0])
	if err != nil {
		return err
	}
	if words[0] == "reset" {
		if err := app.ForgetCrashes(instance.State); err != nil {
			return fmt.Errorf(textNotReset, err)
		}
	}
	fmt.Fprintln(con.err, strings.Join(command, " "))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = con.in, con.out, con.err
	return cmd.Run()
}
