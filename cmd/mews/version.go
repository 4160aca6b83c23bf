package main

import (
	"context"
	"runtime"
)

// versionReport describes this program.
type versionReport struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// versionVerb runs `mews version`.
func versionVerb(_ context.Context, con console, args []string) error {
	set := flags(con, "version")
	asJSON := set.Bool("json", false, flagJSON)
	if err := parse(set, args); err != nil {
		return err
	}
	return show(con.out, versionReport{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}, *asJSON,
		func(r versionReport) string { return "mews " + r.Version + "\n" })
}
