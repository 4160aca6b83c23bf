package admin

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// ExamineRequest are the parameters of a call for `mews check` or `mews doctor`.
type ExamineRequest struct {
	Doctor bool `json:"doctor"`
	JSON   bool `json:"json,omitempty"` // the output is JSON
}

// ExamineResult is the output of `mews check` or `mews doctor`.
type ExamineResult struct {
	Found string `json:"found"`
	Wrong string `json:"wrong,omitempty"` // the report about problems; "" means no problem
}

// ExamineVariable is set in the environment of `mews check` or `mews doctor` when the service runs
// them. These commands then must not ask the service.
const ExamineVariable = "MEWS_EXAMINE"

// examine runs `mews check` or `mews doctor` as a process of the service. The process has the
// service's account, environment and sandbox. So an admin who may not read the configuration can
// still check it.
func (o *Service) examine(ctx context.Context, _ Caller, q ExamineRequest) (ExamineResult, error) {
	self, err := os.Executable()
	if err != nil {
		return ExamineResult{}, err
	}
	verb := "check"
	if q.Doctor {
		verb = "doctor"
	}
	args := []string{verb}
	if file := o.Configuration.Summary().File; file != "" {
		args = append(args, "--config", file)
	}
	if q.JSON {
		args = append(args, "--json")
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), ExamineVariable+"=1")
	found, err := cmd.Output()
	failed := new(exec.ExitError)
	if errors.As(err, &failed) && failed.Exited() {
		return ExamineResult{Found: string(found), Wrong: strings.TrimPrefix(strings.TrimSpace(string(failed.Stderr)), "mews: ")}, nil
	}
	return ExamineResult{Found: string(found)}, err
}
