package install

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
)

// answerAll answers the questions in the terminal: lines, and the hidden ones.
func answerAll(lines string, hidden ...string) Terminal {
	return Terminal{In: bufio.NewReader(strings.NewReader(lines)), Out: new(bytes.Buffer),
		Hidden: func() (text string, err error) {
			if len(hidden) == 0 {
				return "", errors.New("no more secrets")
			}
			text, hidden = hidden[0], hidden[1:]
			return text, nil
		},
		LocalModels: func(context.Context) []string { return nil }}
}

// TestAsk_Model_IsTriedBeforeOtherAnswers: a model with a key is called once, and taken.
func sayHi(modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: "hi"} }

func TestAsk_Model_IsTriedBeforeOtherAnswers(t *testing.T) {
	server, base := modeltest.NewServer(t, sayHi)
	server.Key = "key-of-house"
	r := newRig(t)
	in := r.open("")
	a := household()
	a.Model, a.People = "", nil
	term := answerAll("house/big\n"+base+"\nann\n\n\n\n\n", "key-of-house")
	if err := errors.Join(in.Answer(a), in.Ask(context.Background(), term), in.Check()); err != nil {
		t.Fatalf("%v\n%s", err, term.Out)
	}
	got := in.Answers()
	if got.Model != "house/big" || !got.Keyed || !strings.Contains(r.out.String(), "house/big answers") {
		t.Errorf("the answers are %+v; it said %s", got, &r.out)
	}
}

// TestSecret_LostByKill_IsAskedAgain: the record names a key whose file was never written.
func TestSecret_LostByKill_IsAskedAgain(t *testing.T) {
	needRoot(t)
	server, base := modeltest.NewServer(t, sayHi)
	server.Key = "key-of-house"
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("key-of-house\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := household()
	a.Model, a.ModelURL, a.KeyFile = "house/big", base, key
	for changes := 0; ; changes++ {
		r := newRig(t)
		r.left = changes
		if r.install("", a) == nil {
			t.Fatal("no kill came between the record and the secret")
		}
		r.left = -1
		in := r.open("")
		if !in.Found() {
			continue
		}
		if err := r.install("", Answers{}); err == nil || !strings.Contains(err.Error(), "install secret model.key") {
			t.Errorf("without a terminal: %v", err)
		}
		err := errors.Join(in.Answer(Answers{}), in.Ask(context.Background(), answerAll("", "key-of-house")),
			in.Check(), in.Apply(context.Background()))
		if err != nil || r.get("etc/mews/model.key") != "key-of-house\n" {
			t.Errorf("asked again: %v", err)
		}
		return
	}
}

// TestAddPerson_PolicyWithRange_StaysValid: no single person is added to a range.
func TestAddPerson_PolicyWithRange_StaysValid(t *testing.T) {
	needRoot(t)
	for uids, refused := range map[string]bool{"uids 1000-60000": false, "uids 2000-2999": true, "": false} {
		r := newRig(t)
		if err := r.install("", household()); err != nil {
			t.Fatal(err)
		}
		policy := "worker /opt/mews/current/mews-worker\n" + uids + "\n"
		r.put("etc/mews/spawner.policy", policy)
		before := r.get("etc/passwd") + r.get("etc/mews/install.json")
		err := r.open("").AddPerson(context.Background(), Person{Name: "fay"})
		if refused != (err != nil) || r.get("etc/mews/spawner.policy") != policy {
			t.Errorf("%q: %v\n%s", uids, err, r.get("etc/mews/spawner.policy"))
		}
		if refused && r.get("etc/passwd")+r.get("etc/mews/install.json") != before {
			t.Errorf("%q: something was written", uids)
		}
	}
}

// TestNumbers_OfOthers_ArePassedOver: uids whose data or accounts are left go to nobody else.
func TestNumbers_OfOthers_ArePassedOver(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	r.put("etc/subuid", "carl:80000:65536\n")
	r.put("etc/passwd", r.get("etc/passwd")+"far:x:150000:150000::/:/bin/sh\n")
	lab := household()
	lab.People = []Person{{Name: "lea", Admin: true}}
	if err := errors.Join(r.install("", household()), r.open("").Remove(context.Background(), Removal{}),
		r.install("lab", lab), r.install("", household()), r.install("den", lab)); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"etc/mews/mews.yaml": "uids: 70000-79999",
		"etc/mews-lab/mews.yaml": "uids: 160000-169999", "etc/mews-den/mews.yaml": "uids: 170000-179999"} {
		if !strings.Contains(r.get(file), want) {
			t.Errorf("%s has no %q:\n%s", file, want, r.get(file))
		}
	}
	for file, want := range map[string]string{"etc/mews/mews.yaml": ":8323\n", "etc/mews-lab/mews.yaml": ":8321\n",
		"etc/mews-den/mews.yaml": ":8324\n"} {
		if !strings.Contains(r.get(file), "listen: 127.0.0.1"+want) {
			t.Errorf("%s has no port %q:\n%s", file, want, r.get(file))
		}
	}
}

// TestNumbers_InContainer_AreThoseItHas: most containers have no ids from 65536 on.
func TestNumbers_InContainer_AreThoseItHas(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	r.put("proc/self/uid_map", "         0     100000      65536\n")
	r.put("proc/self/gid_map", "         0     100000      65536\n")
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	if text := r.get("etc/mews/mews.yaml"); !strings.Contains(text, "uids: 50000-59999") {
		t.Errorf("mews.yaml:\n%s", text)
	}
}

// TestAnswers_BackupsAndUpdates_AreConfigured: backups are on unless somebody says no; a feed is
// asked for, because there is no default.
func TestAnswers_BackupsAndUpdates_AreConfigured(t *testing.T) {
	const backup, update = "\nbackup:\n", "\nupdate:\n  feed: \"https://example.org/mews\"\n  daily: true\n"
	for lines, want := range map[string][2]bool{"\n\n": {true, false},
		"n\nhttp://example.org\nhttps://example.org/mews\n": {false, true}} {
		in := newRig(t).open("")
		err := errors.Join(in.Answer(household()), in.Ask(context.Background(), answerAll(lines)), in.Check())
		text := in.renderConfig()
		if err != nil || strings.Contains(text, backup) != want[0] || strings.Contains(text, update) != want[1] {
			t.Errorf("%q: %v\n%s", lines, err, text)
		}
	}
	in := newRig(t).open("")
	a := household()
	a.Updates = "http://example.org"
	if err := errors.Join(in.Answer(a), in.Check()); err == nil || !strings.Contains(err.Error(), "https address") {
		t.Errorf("a feed without https: %v", err)
	}
}

// TestImage_LinkThatLeadsOut_IsRefused: nothing of the machine itself is read or written.
func TestImage_LinkThatLeadsOut_IsRefused(t *testing.T) {
	for _, link := range []string{"srv", "etc/mews", "etc/systemd/system", "opt/mews/versions", "usr/local"} {
		r := newRig(t)
		place := filepath.Join(r.root, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.Symlink(t.TempDir(), place)); err != nil {
			t.Fatal(err)
		}
		_, err := New(Options{Root: r.root, Version: "v1", Command: r.command})
		if err == nil || !strings.Contains(err.Error(), "/"+link+" is a link") {
			t.Errorf("%s: %v", link, err)
		}
	}
}

// TestForeignOwner_Status_IsDrift has parts that somebody else can change.
func TestForeignOwner_Status_IsDrift(t *testing.T) {
	needRoot(t)
	for part, want := range map[string]string{"etc/mews/mews.yaml": "belongs to uid 1000",
		"srv/mews": "folder of root's", "opt/mews/versions": "folder of root's",
		"opt/mews/versions/v1/mews-worker": "changed by others"} {
		r := newRig(t)
		if err := r.install("", household()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(r.root, part), 1000, -1); err != nil {
			t.Fatal(err)
		}
		r.out.Reset()
		if err := r.open("").Status(); !errors.Is(err, ErrDrift) || !strings.Contains(r.out.String(), want) {
			t.Errorf("%s: %v, want %q\n%s", part, err, want, &r.out)
		}
	}
}

// TestAppArmor_OneInstanceLeft_Stays: what instances share goes with the last one.
func TestAppArmor_OneInstanceLeft_Stays(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	r.facts.AppArmor = true
	lab := household()
	lab.People = []Person{{Name: "lea", Admin: true}}
	r.put("opt/mews/mine", "a person's own")
	if err := errors.Join(r.install("", household()), r.install("lab", lab),
		r.open("").Remove(context.Background(), Removal{})); err != nil {
		t.Fatal(err)
	}
	if _, there := r.tree()[appArmorFile]; !there {
		t.Error("the profile is gone while an instance is left")
	}
	if err := r.open("lab").Remove(context.Background(), Removal{}); err != nil {
		t.Fatal(err)
	}
	tree := r.tree()
	if _, there := tree[appArmorFile]; there || tree["/opt/mews/versions"] != "" || tree["/opt/mews/mine"] == "" {
		t.Errorf("after the last one: %v", tree)
	}
}

// TestLayoutOfConfig_OtherFile_IsRefused: only the installer's own places are an instance.
func TestLayoutOfConfig_OtherFile_IsRefused(t *testing.T) {
	for file, ok := range map[string]bool{"/etc/mews/mews.yaml": true, "/etc/mews-lab/mews.yaml": true,
		"/home/ann/mews/mews.yaml": false, "/etc/mews/other.yaml": false, "/etc/lab/mews.yaml": false,
		"mews.yaml": false} {
		if l, err := LayoutOfConfig(file); ok != (err == nil) || ok && l.Config() != file {
			t.Errorf("%s: %v, %v", file, l, err)
		}
	}
}

// TestQuestions_Seven_AreNumbered: the terminal says how many questions are left.
func TestQuestions_Seven_AreNumbered(t *testing.T) {
	for i, question := range []string{askToken, askModel, askAdmin, askZone, askMonth, askBackups, askUpdates} {
		if !strings.HasPrefix(question, fmt.Sprintf("%d/7  ", i+1)) {
			t.Errorf("question %d: %q", i+1, question)
		}
	}
}
