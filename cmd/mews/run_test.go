package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestRun_UserFlagWithoutChat_IsRefused(t *testing.T) {
	var told bytes.Buffer
	err := runVerb(t.Context(), console{out: &told, err: &told}, []string{"--user", "ann"})
	if !errors.Is(err, errMisuse) || !strings.Contains(told.String(), "--user works only with --chat") {
		t.Errorf("%v, %q", err, told.String())
	}
}
