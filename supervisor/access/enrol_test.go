package access_test

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"mews/supervisor"
	"mews/supervisor/access"
)

func enrol(t testing.TB, seal *access.Sealer, name string) access.Enrolment {
	t.Helper()
	e, err := seal.NewEnrolment(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNewEnrolment_URL_HasSealedSecret(t *testing.T) {
	seal := access.NewSealer(key)
	e := enrol(t, seal, "ann")
	raw, err := base32.StdEncoding.DecodeString(e.Secret.Reveal())
	if err != nil || len(raw) != 20 {
		t.Errorf("the secret has %d bytes, %v", len(raw), err)
	}
	u, err := url.Parse(e.URL.Reveal())
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Mews:ann" {
		t.Fatalf("got %v, %v", u.Path, err)
	}
	for name, want := range map[string]string{"secret": e.Secret.Reveal(), "issuer": "Mews", "algorithm": "SHA1", "digits": "6",
		"period": "30"} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if enrol(t, seal, "ann").Secret.Reveal() == e.Secret.Reveal() {
		t.Error("two secrets are the same")
	}
	if plain, err := seal.Open("ann", e.Sealed); err != nil || string(plain) != e.Secret.Reveal() {
		t.Errorf("the sealed secret does not open: %v", err)
	}
	_, err = (*access.Sealer)(nil).NewEnrolment("ann")
	if supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable {
		t.Errorf("without a key: %v", err)
	}
}

func TestQRCode_AnySize_HasItsMargin(t *testing.T) {
	e := enrol(t, access.NewSealer(key), "ann")
	for _, size := range []int{0, 150, 512, 1000} {
		text, err := access.QRCode(e.URL.Reveal(), size)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		side := picture.Bounds().Dx()
		if side != picture.Bounds().Dy() || size > 0 && (side > size || side < size/2) {
			t.Fatalf("for %d it is %v", size, picture.Bounds())
		}
		dark := func(x, y int) bool { return color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y < 128 }
		corner := 0
		for !dark(corner, corner) {
			corner++
		}
		// the corner mark is 7 modules wide, and the margin must be 4 modules wide
		wide := 0
		for dark(corner+wide, corner) {
			wide++
		}
		if corner*7 != wide*4 {
			t.Errorf("for %d the margin is %d and the mark %d pixels", size, corner, wide)
		}
	}
}

func TestNewRecoveryCodes_AreLegible(t *testing.T) {
	codes, digests := access.NewRecoveryCodes()
	if len(codes) != 10 || len(digests) != 10 {
		t.Fatalf("%d codes, %d digests", len(codes), len(digests))
	}
	seen := map[string]bool{}
	for i, c := range codes {
		text := c.Reveal()
		if !regexp.MustCompile(`^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{2}$`).MatchString(text) || seen[text] {
			t.Errorf("code %d has another shape, or is another's", i)
		}
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(digests[i]) || seen[digests[i]] {
			t.Errorf("digest %q", digests[i])
		}
		seen[text], seen[digests[i]] = true, true
	}
}

// A code with few digits would not be recognized among words.
func TestNewRecoveryCodes_InSentence_AreRecognized(t *testing.T) {
	for range 200 {
		codes, _ := access.NewRecoveryCodes()
		for _, c := range codes {
			if text := "it is " + c.Reveal() + ", I think"; !access.ContainsRecoveryCode(text) {
				t.Fatalf("%q is not recognized", text)
			}
		}
	}
}

func TestNewInviteCode_FitsInLink(t *testing.T) {
	code, kept := access.NewInviteCode()
	text := code.Reveal()
	if !regexp.MustCompile(`^[A-Z2-7]{26,64}$`).MatchString(text) {
		t.Errorf("got %q", text)
	}
	for _, typed := range []string{text, strings.ToLower(text), " " + text + "\n", text + ".", text + " .", text + "!", text + "…", text + ",",
		text[:13] + "-" + text[13:], "\u2068" + text + "\u2069", "Code: " + text} {
		if access.DigestInviteCode(typed) != kept {
			t.Errorf("%q has another digest", typed)
		}
	}
	if len(kept) != 64 || access.DigestInviteCode(text[1:]) == kept || access.DigestInviteCode(text+"?") == kept ||
		access.DigestInviteCode("") == kept {
		t.Error("another code has its digest")
	}
	if other, _ := access.NewInviteCode(); other.Reveal() == text {
		t.Error("two codes are the same")
	}
}

func TestSecret_PrintedOrMarshalled_IsHidden(t *testing.T) {
	e := enrol(t, access.NewSealer(key), "ann")
	codes, _ := access.NewRecoveryCodes()
	invite, _ := access.NewInviteCode()
	var shown strings.Builder
	for _, v := range []any{e, &e, codes, invite, &invite, struct{ inner access.Enrolment }{e}, map[string]access.Secret{"x": invite},
		fmt.Errorf("with %v and %q: %w", invite, e.Secret, &supervisor.Error{Message: e.URL.String()})} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&shown, verb, v)
		}
		fmt.Fprintln(&shown, v)
	}
	for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		for _, v := range []any{e, codes, map[string]access.Secret{"x": invite}} {
			text, err := marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			shown.Write(text)
		}
	}
	for _, secret := range []access.Secret{e.Secret, e.URL, codes[0], codes[9], invite} {
		for _, form := range []string{secret.Reveal(), fmt.Sprintf("%x", secret.Reveal()), fmt.Sprintf("%X", secret.Reveal())} {
			if strings.Contains(shown.String(), form) {
				t.Errorf("a secret was shown: %s", form)
			}
		}
	}
	if !strings.Contains(shown.String(), "***") || (access.Secret{}).Reveal() != "" {
		t.Error("no secret is shown as ***")
	}
}
