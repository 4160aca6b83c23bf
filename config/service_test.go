package config

import (
	"slices"
	"testing"
)

// A service without its secret is off, and the rest of the configuration loads.
func TestServices_WithoutSecret_AreOff(t *testing.T) {
	const file = "/etc/mews/mews.yaml"
	cfg, err := Load(file, testEnv(map[string]string{"SET": secret}, map[string]string{file: `
services:
  set: {base_url: "https://a.example", auth: {type: bearer, secret: "${SET}"}}
  unset: {base_url: "https://a.example", auth: {type: bearer, secret: "${UNSET}"}}
  empty: {base_url: "https://a.example", auth: {type: query, name: key, secret: ""}}
  absent: {base_url: "https://a.example", auth: {type: header, name: X-Key}}
  no-file: {base_url: "https://a.example", auth: {type: basic, name: ann, secret_file: gone}}
  optional: {base_url: "https://a.example", auth: {type: bearer, secret: "${UNSET}", optional: true}}
  open: {base_url: "https://a.example"}
`}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"absent", "empty", "no-file", "unset"}
	if got := cfg.ServicesWithoutSecret(); !slices.Equal(got, want) || cfg.Warnings != nil {
		t.Errorf("off are %q, want %q; warnings: %v", got, want, cfg.Warnings)
	}
}
