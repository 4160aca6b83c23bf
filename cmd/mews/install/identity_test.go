package install

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"filippo.io/age"
)

var (
	identities = regexp.MustCompile(`AGE-SECRET-KEY-1[0-9A-Z]+`)
	recipients = regexp.MustCompile(`(?m)^  recipient: (age1[0-9a-z]+)`)
)

// withoutRecipient are the answers of an admin who has no key.
func withoutRecipient() Answers {
	a := household()
	a.Recipient = ""
	return a
}

// TestIdentity_KilledAtEachChange_LastOneOpens: the last key that was shown opens what the
// configuration seals, and no file has the key. Once a run has kept the recipient, no other key is made.
func TestIdentity_KilledAtEachChange_LastOneOpens(t *testing.T) {
	needRoot(t)
	most := 0
	for changes := 0; ; changes++ {
		r := newRig(t)
		r.left = changes
		killed := r.install("", withoutRecipient())
		kept := strings.Contains(r.tree()["/etc/mews/install.json"], `"recipient": "age1`)
		before := len(identities.FindAllString(r.out.String(), -1))
		r.left = -1
		for range 2 {
			if err := r.install("", withoutRecipient()); err != nil {
				t.Fatalf("again after change %d: %v", changes, err)
			}
		}
		shown := identities.FindAllString(r.out.String(), -1)
		if kept && len(shown) != before || !kept && len(shown) != before+1 {
			t.Errorf("killed after change %d, with the recipient kept %v: %d keys, and then %d", changes, kept, before,
				len(shown))
		}
		most = max(most, len(shown))
		identity, err := age.ParseX25519Identity(shown[len(shown)-1])
		found := recipients.FindStringSubmatch(r.get("etc/mews/mews.yaml"))
		if err != nil || found == nil || found[1] != identity.Recipient().String() {
			t.Fatalf("killed after change %d: %v, the recipient is %q", changes, err, found)
		}
		for path, text := range r.tree() {
			if strings.Contains(text, "AGE-SECRET-KEY") {
				t.Errorf("%s holds the key", path)
			}
		}
		if killed == nil {
			break
		}
		if !errors.Is(killed, errKilled) {
			t.Fatal(killed)
		}
	}
	if most != 2 {
		t.Errorf("at most %d keys were shown; no kill came between showing and keeping", most)
	}
}

// TestIdentity_NotWanted_IsNotMade: a recipient of one's own, no backups, or an edited configuration.
func TestIdentity_NotWanted_IsNotMade(t *testing.T) {
	needRoot(t)
	without := withoutRecipient()
	without.Backups = some(false)
	for name, c := range map[string]struct {
		answers Answers
		want    string
	}{"own": {household(), household().Recipient}, "no backups": {without, ""}} {
		r := newRig(t)
		if err := r.install("", c.answers); err != nil {
			t.Fatal(err)
		}
		found := recipients.FindStringSubmatch(r.get("etc/mews/mews.yaml"))
		got := strings.Join(found[min(1, len(found)):], "")
		if got != c.want || identities.MatchString(r.out.String()) {
			t.Errorf("%s: the recipient is %q\n%s", name, got, &r.out)
		}
	}
	r := newRig(t)
	if err := r.install("", without); err != nil {
		t.Fatal(err)
	}
	r.put("etc/mews/mews.yaml", r.get("etc/mews/mews.yaml")+"\n# mine\n")
	if err := r.install("", Answers{Backups: some(true)}); err != nil || identities.MatchString(r.out.String()) {
		t.Errorf("with an edited configuration: %v\n%s", err, &r.out)
	}
}

// TestIdentity_AfterRemoval_RecipientStays: the backups that stay are sealed for it.
func TestIdentity_AfterRemoval_RecipientStays(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	if err := r.install("", withoutRecipient()); err != nil {
		t.Fatal(err)
	}
	before := recipients.FindStringSubmatch(r.get("etc/mews/mews.yaml"))
	if err := r.open("").Remove(t.Context(), Removal{}); err != nil {
		t.Fatal(err)
	}
	if err := r.install("", withoutRecipient()); err != nil {
		t.Fatal(err)
	}
	after := recipients.FindStringSubmatch(r.get("etc/mews/mews.yaml"))
	if before == nil || after == nil || before[1] != after[1] {
		t.Errorf("the recipient was %q and is %q", before, after)
	}
}
