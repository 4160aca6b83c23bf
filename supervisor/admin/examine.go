package admin

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// Examine asks for what `mews check` finds, or `mews doctor`.
type Examine struct {
	Doctor bool `json:"doctor"`
}

// Examined is that.
type Examined struct {
	Found string `json:"found"`
	Wrong string `json:"wrong,omitempty"` // "" where nothing is wrong
}

// examine runs the verb as a process of the service's own, which has its account, its environment
// and what its unit lets it see. So an admin who may not read the configuration needs none of it.
func (o *Service) examine(ctx context.Context, _ Caller, q Examine) (Examined, error) {
	self, err := os.Executable()
	if err != nil {
		return Examined{}, err
	}
	verb := "check"
	if q.Doctor {
		verb = "doctor"
	}
	found, err := exec.CommandContext(ctx, self, verb, "--config", o.Configuration.Facts().File).Output()
	failed := new(exec.ExitError)
	if errors.As(err, &failed) && failed.Exited() {
		return Examined{Found: string(found), Wrong: strings.TrimPrefix(strings.TrimSpace(string(failed.Stderr)), "mews: ")}, nil
	}
	return Examined{Found: string(found)}, err
}
