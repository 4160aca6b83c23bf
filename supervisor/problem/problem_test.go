package problem_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/problem"
)

func TestUserText_InternalError_IsHidden(t *testing.T) {
	cause := errors.New("dial tcp 10.0.0.1:443: key=secret")
	written := &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The model does not answer.", Err: cause}
	for name, test := range map[string]struct {
		err     error
		code    supervisor.ErrorCode
		message string
	}{
		"no error":                  {nil, "", ""},
		"an error for them":         {written, supervisor.CodeUnavailable, "The model does not answer."},
		"one that is wrapped":       {fmt.Errorf("call the model: %w", written), supervisor.CodeUnavailable, "The model does not answer."},
		"an error of the program's": {cause, supervisor.CodeInternal, "Something went wrong inside Mews."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := supervisor.ErrorCodeOf(test.err); got != test.code {
				t.Errorf("code %q, want %q", got, test.code)
			}
			if got := problem.UserText(test.err); test.err != nil && !strings.HasPrefix(got, test.message) ||
				strings.Contains(got, "secret") {
				t.Errorf("they read %q", got)
			}
		})
	}
	if !errors.Is(written, cause) || !strings.Contains(written.Error(), "secret") {
		t.Error("the log does not get the whole")
	}
}
