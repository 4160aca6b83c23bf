package escape

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

func identity() []Probe {
	return []Probe{
		{Row: "S1", What: "run something as root by sudo or su", Kernel: true, run: becomeRoot},
		{Row: "S2", What: "be root in a set-uid program", run: runSetUID},
	}
}

// suLimit bounds the time of su or sudo: su waits two seconds after a wrong password.
const suLimit = 10 * time.Second

func becomeRoot(Victims) error {
	var all []error
	for _, argv := range [][]string{{"sudo", "-n", "id", "-u"}, {"su", "-c", "id -u"}} {
		err := asRoot(argv...)
		if err == nil {
			return escapedError("by " + argv[0])
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// asRoot runs a program that must print the uid 0. It has no terminal to ask for a password.
func asRoot(argv ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), suLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	if uid := strings.TrimSpace(string(out)); uid != "0" {
		return fmt.Errorf("%s: uid %q", argv[0], uid)
	}
	return nil
}

func runSetUID(v Victims) error {
	switch {
	case v.SetUID == "":
		return notTriedError("no set-uid program was made for it; K19 tells whether any could give rights")
	case os.Geteuid() == 0:
		return notTriedError("this process is root, set-uid or not")
	}
	return asRoot(v.SetUID)
}
