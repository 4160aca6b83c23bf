package install

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// needRoot skips a test that gives folders to accounts. CI is root.
func needRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives homes to accounts")
	}
}

// TestInstall_KilledAtEachChange_EndsTheSame kills an installation after each of its changes, and
// runs it again. The end is the one of a run that nobody killed.
func TestInstall_KilledAtEachChange_EndsTheSame(t *testing.T) {
	needRoot(t)
	whole := newRig(t)
	if err := whole.install("", household()); err != nil {
		t.Fatal(err)
	}
	want := whole.tree()
	for changes := 0; ; changes++ {
		r := newRig(t)
		r.left = changes
		err := r.install("", household())
		if err == nil {
			if changes < 40 {
				t.Errorf("an installation has %d changes; the counter misses some", changes)
			}
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("killed after change %d: %v", changes, err)
		}
		r.left = -1
		if err := r.install("", household()); err != nil {
			t.Fatalf("again after change %d: %v", changes, err)
		}
		if diff := cmp.Diff(want, r.tree()); diff != "" {
			t.Fatalf("killed after change %d, and run again:\n%s", changes, diff)
		}
		if err := r.open("").Status(); err != nil {
			t.Fatalf("killed after change %d: %v\n%s", changes, err, &r.out)
		}
	}
}

// TestUpgrade_KilledAtEachChange_HasOneVersion kills an upgrade after each of its changes: the link
// leads to a whole version all the time.
func TestUpgrade_KilledAtEachChange_HasOneVersion(t *testing.T) {
	needRoot(t)
	for changes := 0; ; changes++ {
		r := newRig(t)
		if err := r.install("", household()); err != nil {
			t.Fatal(err)
		}
		r.version = "v2"
		r.build("two")
		r.left = changes
		err := r.install("", Answers{})
		content := r.get("opt/mews/current/mews")
		for _, name := range programs {
			if r.get("opt/mews/current/"+name) != name+strings.TrimPrefix(content, "mews") {
				t.Fatalf("killed after change %d: %s is of another version than mews", changes, name)
			}
		}
		if err == nil {
			if content != "mewstwo" {
				t.Errorf("after the upgrade the version is %s", content)
			}
			break
		}
		r.left = -1
		if err := r.install("", Answers{}); err != nil || r.get("opt/mews/current/mews") != "mewstwo" {
			t.Fatalf("again after change %d: %v", changes, err)
		}
	}
}

// TestPlan_NewMachine_WritesNothing: the plan lists each file with its owner and mode.
func TestPlan_NewMachine_WritesNothing(t *testing.T) {
	r := newRig(t)
	before := r.tree()
	in := r.open("")
	if err := errors.Join(in.Answer(household()), in.Check(), in.Plan()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.tree()); diff != "" {
		t.Errorf("the plan writes:\n%s", diff)
	}
	for _, want := range []string{"/etc/mews/mews.yaml (root:mews, 0640)", "/srv/mews/ann (ann, 0700)",
		"/opt/mews/current -> versions/v1", "/opt/mews/updater -> versions/v1", "account ann for ann, without login"} {
		if !strings.Contains(r.out.String(), want) {
			t.Errorf("the plan has no %q:\n%s", want, &r.out)
		}
	}
}

// TestEditedFile_Apply_ShowsDifference: a file that a person has edited stays, and status tells it.
func TestEditedFile_Apply_ShowsDifference(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(r.get("etc/mews/mews.yaml"), "month: 20", "month: 5", 1)
	if err := os.WriteFile(filepath.Join(r.root, "etc/mews/mews.yaml"), []byte(edited), 0o640); err != nil {
		t.Fatal(err)
	}
	r.out.Reset()
	if err := r.install("", Answers{Month: some(30.0)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kept    /etc/mews/mews.yaml", "  -   month: 5\n", "  +   month: 30\n"} {
		if !strings.Contains(r.out.String(), want) {
			t.Errorf("apply does not say %q:\n%s", want, &r.out)
		}
	}
	if r.get("etc/mews/mews.yaml") != edited {
		t.Error("the edited file has changed")
	}
	if err := r.open("").Status(); !errors.Is(err, ErrDrift) {
		t.Errorf("status: %v", err)
	}
}

// TestUneditedFile_OtherAnswers_IsWrittenAgain: the service starts again with it.
func TestUneditedFile_OtherAnswers_IsWrittenAgain(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	r.ran = nil
	if err := r.install("", Answers{Month: some(30.0)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.get("etc/mews/mews.yaml"), "month: 30\n") {
		t.Errorf("the configuration:\n%s", r.get("etc/mews/mews.yaml"))
	}
	if got := strings.Join(r.ran, "; "); !strings.Contains(got, "systemctl restart mews") {
		t.Errorf("it ran %s", got)
	}
	r.ran = nil
	if err := r.install("", Answers{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"systemctl is-active mews"}, r.ran); diff != "" {
		t.Errorf("with nothing to do:\n%s", diff)
	}
}

// TestInstance_Second_SharesNothing: a second instance has its own paths, accounts and uids.
func TestInstance_Second_SharesNothing(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	second := household()
	second.People = second.People[:1]
	if err := errors.Join(r.install("", household()), r.install("lab", second)); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"etc/mews-lab/spawner.policy": {"people 80000-89999", "worker /opt/mews/current-lab/mews-worker",
			"root /var/lib/mews-lab\n",
			"person 1002:1002"},
		"etc/mews/spawner.policy": {"people 70000-79999", "person 1001:1001", "uids none",
			"person 1000:1000"},
		"etc/mews-lab/mews.yaml":              {"state: /var/lib/mews-lab", "account: ann-lab", "uids: 80000-89999"},
		"etc/systemd/system/mews-update.path": {"PathExists=/var/lib/mews/private/update/request\n"},
		"etc/systemd/system/mews-update-lab.path": {"PathExists=/var/lib/mews-lab/private/update/request\n",
			"Unit=mews-update.service\n"},
		"etc/systemd/system/mews-lab.service": {"User=mews-lab\n",
			"/opt/mews/current-lab/mews-spawner --policy /etc/mews-lab/spawner.policy",
			"StateDirectory=mews-lab\n", "SupplementaryGroups=mews-people-lab\n", "ReadWritePaths=-/srv/mews-lab\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(r.get(file), want) {
				t.Errorf("%s has no %q:\n%s", file, want, r.get(file))
			}
		}
	}
	if got := r.get("run/units"); got != "mews\nmews-lab\n" {
		t.Errorf("running: %q", got)
	}
	for _, unit := range []string{"mews-update.path", "mews-update-lab.path"} {
		if _, err := os.Lstat(filepath.Join(r.root, wantsFolder, unit)); err != nil {
			t.Errorf("%s is not enabled: %v", unit, err)
		}
	}
	if err := r.open("lab").Remove(context.Background(), Removal{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(r.root, "etc/systemd/system/mews-update-lab.path")); err == nil {
		t.Error("the removal leaves mews-update-lab.path")
	}
	if err := r.open("").Status(); err != nil {
		t.Errorf("without the second instance: %v\n%s", err, &r.out)
	}
}

// TestRemove_KilledAtEachChange_LeavesOnlyData: homes and their accounts stay, and nothing else.
func TestRemove_KilledAtEachChange_LeavesOnlyData(t *testing.T) {
	needRoot(t)
	for changes := 0; ; changes++ {
		r := newRig(t)
		if err := r.install("", household()); err != nil {
			t.Fatal(err)
		}
		r.left = changes
		err := r.open("").Remove(context.Background(), Removal{})
		killed := errors.Is(err, errKilled)
		r.left = -1
		if killed {
			if in := r.open(""); in.Found() {
				err = in.Remove(context.Background(), Removal{})
			} else {
				err = nil
			}
		}
		if err != nil {
			t.Fatalf("killed after change %d: %v", changes, err)
		}
		for path := range r.tree() {
			kept := strings.HasPrefix(path, "/srv/mews") || path == "/etc/mews" || path == "/etc/mews/install.json"
			if strings.Contains(path, "mews") && !kept {
				t.Errorf("killed after change %d: %s is left", changes, path)
			}
		}
		if r.line("etc/passwd", "ann") == "" || !strings.Contains(r.tree()["/srv/mews/ann"], "1001:1001") {
			t.Fatal("ann's home is not hers any more")
		}
		if err := r.install("", household()); err != nil {
			t.Fatalf("a new installation: %v", err)
		}
		if !killed {
			break
		}
	}
}

// TestRefusal_BeforeFirstWrite_ChangesNothing has machines and answers that make no service.
func TestRefusal_BeforeFirstWrite_ChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*rig, *Answers)
		want   string
	}{
		"old systemd": {func(r *rig, _ *Answers) { r.facts.Systemd = 246 }, "systemd 246"},
		"no systemd":  {func(r *rig, _ *Answers) { r.facts.Systemd = 0 }, "needs 247 or later"},
		"old kernel":  {func(r *rig, _ *Answers) { r.facts.Kernel = "5.10.0-33-amd64" }, "Linux 5.10.0-33-amd64"},
		"taken account": {func(r *rig, _ *Answers) {
			r.put("etc/passwd", r.get("etc/passwd")+"ann:x:1001:1001::/:/bin/sh\n")
		}, "the account ann exists already"},
		"no account":     {func(_ *rig, a *Answers) { a.People[1].Name = "erin" }, "no account erin"},
		"system account": {func(_ *rig, a *Answers) { a.People[1].Name = "root" }, "one of the system's"},
		"the service's account": {func(_ *rig, a *Answers) {
			a.People[0].Name = "mews"
		}, "the service's own"},
		"the people's group": {func(_ *rig, a *Answers) { a.People[0].Name = "mews-people" }, "the service's own"},
		"another instance's account": {func(r *rig, _ *Answers) {
			r.put("etc/mews-lab/install.json", `{"accounts": ["carl"]}`)
		}, "an instance of its own"},
		"open homes": {func(r *rig, _ *Answers) {
			r.put("srv/mews/x", "")
			if err := os.Chmod(r.root+"/srv/mews", 0o777); err != nil {
				r.t.Fatal(err)
			}
		}, "folder of root's"},
		"nobody manages": {func(_ *rig, a *Answers) { a.People[0].Admin = false }, "nobody is an admin"},
		"bad name":       {func(_ *rig, a *Answers) { a.People[2].Name = "Dora B" }, "is no name"},
		"twice":          {func(_ *rig, a *Answers) { a.People[2].Name = "ann" }, "there twice"},
		"no zone":        {func(_ *rig, a *Answers) { a.Timezone = "Mars/Olympus" }, "Europe/Madrid"},
		"a debt":         {func(_ *rig, a *Answers) { a.Month = some(-1.0) }, "US dollars"},
		"no provider":    {func(_ *rig, a *Answers) { a.Model = "house/big" }, "--model-url"},
		"no recipient":   {func(_ *rig, a *Answers) { a.Recipient = "age1x" }, "age recipient"},
		"no model":       {func(_ *rig, a *Answers) { a.Model = "" }, "missing: model"},
	} {
		r := newRig(t)
		a := household()
		c.change(r, &a)
		before := r.tree()
		if err := r.install("", a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if diff := cmp.Diff(before, r.tree()); diff != "" {
			t.Errorf("%s writes:\n%s", name, diff)
		}
	}
}

// TestSmallMachine_GetsSmallLimits: the configuration and the policy agree.
func TestSmallMachine_GetsSmallLimits(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	r.facts.Memory, r.facts.Swap = 1<<30, 0
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"etc/mews/mews.yaml": "  memory: 384MiB",
		"etc/mews/spawner.policy": "\nmemory 402653184\n"} {
		if !strings.Contains(r.get(file), want) {
			t.Errorf("%s has no %q", file, want)
		}
	}
	if !strings.Contains(r.get("etc/mews/mews.yaml"), "  turns: 2\n") || !strings.Contains(r.out.String(), "no swap") {
		t.Errorf("it said:\n%s", &r.out)
	}
}

// TestHome_ForeignFolder_IsNotGivenAway: a folder that was there keeps its owner.
func TestHome_ForeignFolder_IsNotGivenAway(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	r.put("srv/mews/ann/secret", "x")
	before := r.tree()["/srv/mews/ann"]
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	if got := r.tree()["/srv/mews/ann"]; got != before || !strings.Contains(r.out.String(), "never gives away") {
		t.Errorf("the folder was %s and is %s\n%s", before, got, &r.out)
	}
}

// TestAddPerson_EditedFiles_KeepTheirEdits: the new person is put into files that were edited.
func TestAddPerson_EditedFiles_KeepTheirEdits(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	r.put("etc/mews/mews.yaml", "log:\n"+"  level: debug\n"+r.get("etc/mews/mews.yaml")+"\nfiles:\n  exclude: []\n")
	r.put("etc/mews/spawner.policy", r.get("etc/mews/spawner.policy")+"root /srv/code\n")
	for range 2 { // the second time changes nothing
		if err := r.open("").AddPerson(context.Background(), Person{Name: "fay"}); err != nil {
			t.Fatal(err)
		}
	}
	cfg, policy := r.get("etc/mews/mews.yaml"), r.get("etc/mews/spawner.policy")
	want := "  - name: fay\n    account: fay\n    home: /srv/mews/fay\n    timezone: Europe/Madrid\n"
	if !strings.Contains(cfg, "  level: debug\n") || strings.Count(cfg, want) != 1 ||
		!strings.HasSuffix(cfg, "files:\n  exclude: []\n") {
		t.Errorf("the configuration:\n%s", cfg)
	}
	if !strings.Contains(policy, "root /srv/code\n# fay\nperson 1002:1002\n") || strings.Count(policy, "1002") != 2 {
		t.Errorf("the policy:\n%s", policy)
	}
	if !strings.Contains(r.tree()["/srv/mews/fay"], "1002:1002") {
		t.Errorf("the home: %s", r.tree()["/srv/mews/fay"])
	}
}

// TestSecret_Changed_IsRootsAlone: secrets are files of root's, and no record or output has them.
func TestSecret_Changed_IsRootsAlone(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	token := filepath.Join(t.TempDir(), "token")
	first, second := "123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOppQQr", "123456789:ZZbbCCddEEffGGhhIIjjKKllMMnnOOppQQr"
	if err := os.WriteFile(token, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := household()
	a.TokenFile = token
	if err := r.install("", a); err != nil {
		t.Fatal(err)
	}
	in := r.open("")
	err := errors.Join(in.SetSecret("telegram.token", second), in.SaveSecret(context.Background(), "telegram.token"))
	if err != nil {
		t.Fatal(err)
	}
	tree := r.tree()
	if got := tree["/etc/mews/telegram.token"]; got != "-rw------- 0:0 "+second+"\n" {
		t.Errorf("the secret is %q", got)
	}
	if !strings.Contains(tree["/etc/systemd/system/mews.service.d/install.conf"],
		"LoadCredential=telegram.token:/etc/mews/telegram.token\n") {
		t.Error("the unit does not hand the secret over")
	}
	for path, text := range tree {
		if path != "/etc/mews/telegram.token" && (strings.Contains(text, first) || strings.Contains(text, second)) {
			t.Errorf("%s holds the secret", path)
		}
	}
	if bytes.Contains(r.out.Bytes(), []byte("AAbbCC")) {
		t.Error("the output shows the secret")
	}
	if err := r.open("").SaveSecret(context.Background(), "model.key"); err == nil {
		t.Error("a secret without use is taken")
	}
}

// TestUnit_AndInstaller_AreInStep: the unit names the paths and accounts that the installer makes,
// and a further instance has none of the first one's.
func TestUnit_AndInstaller_AreInStep(t *testing.T) {
	for _, instance := range []string{"", "lab"} {
		l := Layout{instance}
		text, err := l.deployed("systemd/mews.service")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"ExecStart=" + l.current() + "/mews-spawner --policy " + l.policy() + " -- " +
			l.current() + "/mews run --config " + l.Config() + "\n", "\nUser=" + l.account() + "\n",
			"\nSupplementaryGroups=" + l.people() + "\n",
			"\nStateDirectory=" + strings.TrimPrefix(l.state(), "/var/lib/") + "\n",
			"\nReadWritePaths=-" + l.homes() + "\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("the unit of %q has no %q", instance, want)
			}
		}
		policy, err := l.deployed("spawner.policy")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text + policy) {
			first := strings.NewReplacer("mews-spawner", "", "mews-worker", "", "/mews ", " ", "mews.yaml", "",
				"mews-people-lab", "", "mews-lab", "", "/opt/mews/current-lab", "").Replace(line)
			skip := instance == "" || line[0] == '#' || strings.HasPrefix(line, "Description=")
			if !skip && strings.Contains(first, "mews") {
				t.Errorf("the instance %q has the first one's %q", instance, line)
			}
		}
	}
}
