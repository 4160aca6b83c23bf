package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/config"
)

// looks runs an examination on a configuration. want begins with what sort of thing it finds: ok, WARN or BAD.
func (c *commandLine) looks(e string, want string) {
	c.t.Helper()
	cfg, _, err := loadConfig(c.file)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, x := range examinations() {
		if x.name != e {
			continue
		}
		finding, err := x.look(c.t.Context(), cfg)
		got := "ok " + finding
		if warning := new(warned); errors.As(err, &warning) {
			got = "WARN " + err.Error()
		} else if err != nil {
			got = "BAD " + err.Error()
		}
		sort, words, _ := strings.Cut(want, " ")
		if !strings.HasPrefix(got, sort+" ") || !strings.Contains(got, words) {
			c.t.Errorf("%s: %q, want %q", e, got, want)
		}
		return
	}
	c.t.Fatalf("the doctor has no examination %q", e)
}

func TestTheDoctorLooksAtTheGate(t *testing.T) {
	c := newCommandLine(t)
	c.looks("gate", "ok nobody has a second factor yet")
	c.looks("seal", "ok is made when Mews starts")
	if _, err := os.Stat(filepath.Join(c.dir, "state")); err == nil {
		t.Error("the doctor has made a state folder")
	}
	c.does("user", "list")
	c.looks("gate", "WARN ben must have a second factor")
	c.looks("seal", "ok can be read by this account alone")
	c.does("user", "disable", "ben")
	c.looks("gate", "ok nobody has a second factor")
	key := filepath.Join(c.dir, "state", "private", "seal.key")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	c.looks("seal", "BAD can be read or changed by others")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	c.looks("seal", "BAD no such file")
}

func TestTheDoctorLooksForPrices(t *testing.T) {
	c := newCommandLine(t)
	c.looks("budget", "ok the price of every configured model is known")
	providers := "models:\n  default: far/m\n  providers: {far: {kind: openai, base_url: \"https://models.example.org/v1\", api_key: k}}\n"
	c.configure(fmt.Sprintf(threePeople, c.dir) + providers)
	c.looks("budget", "WARN no price is known of far/m")
	c.configure(fmt.Sprintf(threePeople, c.dir) + providers + "  prices: {far/m: {input: 1, output: 2}}\n")
	c.looks("budget", "ok the price of every configured model is known")
	c.configure(strings.Replace(fmt.Sprintf(threePeople, c.dir), ", budget: {day: 2.50}", "", 1) + providers)
	c.looks("budget", "ok no limit on what models may cost")
}

func TestCheckSaysWhatHoldsForAUser(t *testing.T) {
	c := newCommandLine(t)
	out := c.does("check")
	for _, want := range []string{"/ann, budget $2.50 a day\n", "/ben, second factor required\n", "/cleo, second factor off\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q", out, want)
		}
	}
	if got := bounds(config.User{TOTP: config.TOTPOptional}); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
