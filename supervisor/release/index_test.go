package release

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"
	"time"
)

// signer is a pair of keys of which the first one signs.
type signer struct {
	keys    Keys
	private ed25519.PrivateKey
}

func newSigner(t *testing.T) signer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return signer{Keys{public, second}, private}
}

var issued = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func version(t *testing.T, text string) Version {
	t.Helper()
	v, err := ParseVersion(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func testIndex(t *testing.T) Index {
	t.Helper()
	x := Index{Number: 7, Issued: issued}
	for _, v := range []string{"v1.9.0", "v1.10.0", "v1.2.3"} {
		x.Releases = append(x.Releases, Release{Version: version(t, v), Platform: "linux/amd64", Size: 3,
			SHA256: strings.Repeat("ab", 32), File: "mews-" + v + ".tar.gz", Notes: "First.\nSecond."})
	}
	return x
}

func TestParseIndex_Signed_IsReadBack(t *testing.T) {
	s := newSigner(t)
	text := testIndex(t).Sign(s.private)
	x, err := ParseIndex(text, s.keys)
	if err != nil || !bytes.Equal(x.Sign(s.private), text) {
		t.Fatalf("%+v, %v", x, err)
	}
	r, found := x.FindNewest(version(t, "v1.9.0"), "linux/amd64")
	if !found || r.Version != version(t, "v1.10.0") || r.Notes != "First.\nSecond." {
		t.Errorf("the newest is %+v, %v", r, found)
	}
	for running, platform := range map[string]string{"v1.10.0": "linux/amd64", "v2.0.0": "linux/amd64",
		"v1.0.0": "linux/arm64"} {
		if r, found := x.FindNewest(version(t, running), platform); found {
			t.Errorf("for %s on %s: %+v", running, platform, r)
		}
	}
}

func TestParseIndex_ChangedOrForeign_IsRefused(t *testing.T) {
	s, other := newSigner(t), newSigner(t)
	good := string(testIndex(t).Sign(s.private))
	for name, c := range map[string]struct{ text, want string }{
		"another key":  {string(testIndex(t).Sign(other.private)), "no release key"},
		"changed":      {strings.Replace(good, "v1.2.3", "v1.2.4", 1), "no release key"},
		"cut off":      {good[:len(good)/2], "no signature at its end"},
		"cut by one":   {good[:len(good)-1], "no signature at its end"},
		"empty":        {"", "no signature at its end"},
		"added behind": {good + "release x\n", "no signature at its end"},
		"too long":     {strings.Repeat("x", MaxIndexBytes+1), "longer than"},
		"no number":    {string(Index{Issued: issued}.Sign(s.private)), "wrong line"},
	} {
		if _, err := ParseIndex([]byte(c.text), s.keys); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestParseIndex_NextKeys_NeedAnEarlierKey(t *testing.T) {
	first, second, third, thief := newSigner(t), newSigner(t), newSigner(t), newSigner(t)
	x := testIndex(t)
	x.NextKeys = []string{NextKeys(first.private, second.keys), NextKeys(second.private, third.keys)}
	if _, err := ParseIndex(x.Sign(third.private), first.keys); err != nil {
		t.Errorf("two pairs later: %v", err)
	}
	x.NextKeys = []string{NextKeys(thief.private, thief.keys)}
	if _, err := ParseIndex(x.Sign(thief.private), first.keys); err == nil {
		t.Error("keys that name themselves are accepted")
	}
}

func TestCheckFresh_OldOrLower_IsRefusedInWords(t *testing.T) {
	x := testIndex(t)
	for name, c := range map[string]struct {
		seen      int
		now       time.Time
		acceptOld bool
		want      string
	}{
		"valid":             {7, issued.Add(Validity), false, ""},
		"last year's":       {7, issued.AddDate(1, 0, 0), false, "was valid until 2027-02-28"},
		"accepted":          {7, issued.AddDate(1, 0, 0), true, ""},
		"lower number":      {8, issued, false, "number 8 was seen before"},
		"lower, accept-old": {8, issued, true, "number 8 was seen before"},
		"from tomorrow":     {7, issued.AddDate(0, 0, -2), true, "Correct the clock"},
	} {
		err := x.CheckFresh(c.seen, c.now, c.acceptOld)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestFind_DowngradeOrUnknown_IsRefused(t *testing.T) {
	x := testIndex(t)
	for v, want := range map[string]string{"v1.9.0": "", "v1.2.3": "is older", "v1.10.0": "",
		"v3.0.0": "lists no v3.0.0"} {
		_, err := x.Find(version(t, v), version(t, "v1.9.0"), "linux/amd64")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", v, err, want)
		}
	}
}

func TestParseVersion_OnlyReleases_AreParsed(t *testing.T) {
	for _, text := range []string{"dev", "", "1.2.3", "v1.2", "v1.2.3-4-gabc", "v1.2.03", "v1.2.-3", "v1.2.3.4"} {
		if v, err := ParseVersion(text); err == nil {
			t.Errorf("%q is %v", text, v)
		}
	}
	if v := version(t, "v1.20.3"); v.String() != "v1.20.3" {
		t.Error(v)
	}
}
