package web

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

func TestErrors_AreLoggedOnceAMinute(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC)
	e := &errorLog{log: hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Warn}), now: func() time.Time { return now }}
	server := e.logger()
	for range 1000 {
		server.Print("http: Accept error: too many open files; retrying in 1s")
		e.panicked("/webhook", errors.New("secret"), []byte("stack"))
	}
	now = now.Add(time.Minute)
	server.Print("http: Accept error\nof two lines")
	e.panicked("/webhook", indexed(), []byte("stack"))
	got := out.String()
	if strings.Count(got, "[WARN]") != 2 || strings.Count(got, "[ERROR]") != 2 || strings.Count(got, "left_out=999") != 2 {
		t.Errorf("logged is:\n%s", got)
	}
	if strings.Contains(got, "secret") {
		t.Errorf("an error's words are in the log:\n%s", got)
	}
	for _, want := range []string{"index out of range", "*errors.errorString"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the log:\n%s", want, got)
		}
	}
}

// indexed returns the value of a panic of the Go runtime: an index out of range.
func indexed() (fault any) {
	defer func() { fault = recover() }()
	return [1]int{}[len([]int{1})]
}
