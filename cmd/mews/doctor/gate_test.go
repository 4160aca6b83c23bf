package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// rig is a configuration without a running service.
type rig struct {
	t    *testing.T
	dir  string
	file string
}

const threePeople = `state: %[1]s/state
users:
  - {name: ann, role: admin, home: %[1]s/ann, budget: {day: 2.50}}
  - {name: ben, home: %[1]s/ben, totp: required}
  - {name: cleo, home: %[1]s/cleo, totp: off}
`

// newRig makes a configuration with three users.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	r.file = filepath.Join(r.dir, "mews.yaml")
	r.configure(fmt.Sprintf(threePeople, r.dir))
	for _, name := range []string{"ann", "ben", "cleo"} {
		if err := os.Mkdir(filepath.Join(r.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *rig) configure(text string) {
	r.t.Helper()
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) load() *config.Config {
	r.t.Helper()
	env, err := config.ReadMachineEnv(app.DefaultEffectRules(), app.TaintedEffectRules())
	if err != nil {
		r.t.Fatal(err)
	}
	cfg, err := config.Load(r.file, env)
	if err != nil {
		r.t.Fatal(err)
	}
	return cfg
}

// request sends a request as an admin, which must succeed. It creates the state folder.
func (r *rig) request(method string, params any) {
	r.t.Helper()
	if _, err := app.CallAdminService[any](r.t.Context(), r.load(), method, params); err != nil {
		r.t.Fatal(err)
	}
}

// expectFinding runs an examination and compares its result with want. want begins with the mark:
// ok, WARN or BAD.
func (r *rig) expectFinding(name string, want string) {
	r.t.Helper()
	for _, e := range examinations {
		if e.name != name {
			continue
		}
		finding, err := e.examine(r.t.Context(), Options{Config: r.load(), Path: r.file, Version: "test"})
		got := "ok " + finding
		if errors.As(err, new(*warning)) {
			got = "WARN " + err.Error()
		} else if err != nil {
			got = "BAD " + err.Error()
		}
		sort, words, _ := strings.Cut(want, " ")
		if !strings.HasPrefix(got, sort+" ") || !strings.Contains(got, words) {
			r.t.Errorf("%s: %q, want %q", name, got, want)
		}
		return
	}
	r.t.Fatalf("the doctor has no examination %q", name)
}

func TestExamineGate_CountsFactors(t *testing.T) {
	r := newRig(t)
	r.expectFinding("gate", "ok nobody has a second factor yet")
	r.expectFinding("seal", "ok is made when Mews starts")
	if _, err := os.Stat(filepath.Join(r.dir, "state")); err == nil {
		t.Error("the doctor has made a state folder")
	}
	r.request(admin.MethodUserList, admin.UserRequest{})
	r.expectFinding("gate", "WARN ben must have a second factor")
	r.expectFinding("seal", "ok can be read by this account alone")
	r.request(admin.MethodUserSuspend, admin.SuspendUserRequest{User: "ben", On: true})
	r.expectFinding("gate", "ok nobody has a second factor")
	key := filepath.Join(r.dir, "state", "private", "seal.key")
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	r.expectFinding("seal", "BAD can be read or changed by others")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	r.expectFinding("seal", "BAD no such file")
}

func TestExamineBudget_MissingPrices_Warn(t *testing.T) {
	r := newRig(t)
	r.expectFinding("budget", "ok the price of every configured model is known")
	providers := "models:\n  default: far/m\n  providers: {far: {kind: openai, base_url: \"https://models.example.org/v1\", api_key: k}}\n"
	r.configure(fmt.Sprintf(threePeople, r.dir) + providers)
	r.expectFinding("budget", "WARN no known price for far/m")
	hints := CheckConfig(t.Context(), r.load(), "").Hints
	if !slices.Contains(hints, fmt.Sprintf(textNoPrice, "far/m")) {
		t.Errorf("the configuration's hints are %q", hints)
	}
	r.configure(fmt.Sprintf(threePeople, r.dir) + providers + "  prices: {far/m: {input: 1, output: 2}}\n")
	r.expectFinding("budget", "ok the price of every configured model is known")
	r.configure(strings.Replace(fmt.Sprintf(threePeople, r.dir), ", budget: {day: 2.50}", "", 1) + providers)
	r.expectFinding("budget", "ok no limit on what models may cost")
}
