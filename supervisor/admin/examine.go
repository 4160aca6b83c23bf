package admin

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// DiagnoseRequest are the parameters of a call for `mews check` or `mews doctor`.
type DiagnoseRequest struct {
	Doctor bool `json:"doctor"`
	JSON   bool `json:"json,omitempty"`  // whether the output must be JSON
	Calls  bool `json:"calls,omitempty"` // whether the doctor may call a model
}

// DiagnoseResult is the output of `mews check` or `mews doctor`.
type DiagnoseResult struct {
	Found string `json:"found"`
	Wrong string `json:"wrong,omitempty"` // the report about problems; "" means no problem
	// Status is the exit status; 0 means no problem.
	Status int `json:"status,omitempty"`
}

// DiagnoseEnvVariable is set for a `mews check` or `mews doctor` that the service runs. In that
// case these commands must not ask the service.
const DiagnoseEnvVariable = "MEWS_EXAMINE"

// Diagnose runs `mews check` or `mews doctor` as a process of the service. The process has the
// service's account, environment and sandbox. So an admin who may not read the configuration can
// still check it.
func (o *Service) Diagnose(ctx context.Context, q DiagnoseRequest) (DiagnoseResult, error) {
	self, err := os.Executable()
	if err != nil {
		return DiagnoseResult{}, err
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
	if q.Calls {
		args = append(args, "--calls")
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), DiagnoseEnvVariable+"=1")
	found, err := cmd.Output()
	failed := new(exec.ExitError)
	if errors.As(err, &failed) && failed.Exited() {
		return DiagnoseResult{Found: string(found), Status: failed.ExitCode(), Wrong: strings.TrimPrefix(
			strings.TrimSpace(string(failed.Stderr)),
			"mews: ")}, nil
	}
	return DiagnoseResult{Found: string(found)}, err
}

// examine answers a call for `mews check` or `mews doctor`.
func (o *Service) examine(ctx context.Context, _ Caller, q DiagnoseRequest) (DiagnoseResult, error) {
	return o.Diagnose(ctx, q)
}
