package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"rsc.io/qr"

	"mews/supervisor"
	"mews/supervisor/internal/codes"
)

const (
	issuer        = "Mews"
	secretSize    = 20 // bytes: the 160 bits that RFC 4226, section 4, recommends
	recoveryCodes = 10
	// bytes: 128 bits, beyond the 112 from which a plain digest is enough (ASVS 5.0, 6.5.2)
	recoverySize = 16
)

// Enrolment is a second factor that was just made: what its person is shown once, and what is kept
// of it.
type Enrolment struct {
	Secret Secret // in base32, to be typed into an authenticator app
	URL    Secret // otpauth://..., which holds the same
	Sealed []byte // a supervisor.Factor's Secret
}

// Enrol makes a second factor for a user. It counts for nothing until a code has shown that they
// hold it.
func (s *Seal) Enrol(user string) (Enrolment, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: user, Period: codePeriod, SecretSize: secretSize,
		Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
	if err != nil {
		return Enrolment{}, fmt.Errorf("make a second factor for %s: %w", user, err)
	}
	sealed, err := s.Seal(user, []byte(key.Secret()))
	if err != nil {
		return Enrolment{}, &supervisor.Error{Code: supervisor.CodeUnavailable, Err: err, Message: textNoSeal}
	}
	return Enrolment{Secret: newSecret(key.Secret()), URL: newSecret(key.URL()), Sealed: sealed}, nil
}

// QRCodeWidth is how wide the pictures of codes are that people are shown, in pixels.
const QRCodeWidth = 480

// QRCode is a QR code of a text, as PNG: at most size pixels wide where that is enough to read it,
// with the white margin that it needs on a dark background.
func QRCode(text string, size int) ([]byte, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("make a picture of %d bytes: %w", len(text), err)
	}
	const margin = 4 // modules on each side (ISO 18004), as PNG draws them
	code.Scale = max(2, size/(code.Size+2*margin))
	return code.PNG(), nil
}

// crockford is Douglas Crockford's base32: it has no I, L, O or U that could be taken for something
// else.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

var fourLetters = regexp.MustCompile(`.{4}`)

// misreadLetters puts the letters of a code in the place of those that people write for them.
var misreadLetters = strings.NewReplacer("I", "1", "L", "1", "O", "0")

// NewRecovery makes recovery codes, and their digests as they are kept in supervisor.Factor. Each
// opens the gate once, without the authenticator app.
func NewRecovery() (codes []Secret, digests []string) {
	for len(codes) < recoveryCodes {
		random := make([]byte, recoverySize)
		rand.Read(random)
		text := crockford.EncodeToString(random)
		if !digits.MatchString(text) { // one in 17,000: it could be taken for words
			continue
		}
		codes = append(codes, newSecret(groupLetters(text)))
		digests = append(digests, digest(text))
	}
	return codes, digests
}

// groupLetters puts a dash after every fourth letter.
func groupLetters(text string) string {
	return strings.TrimSuffix(fourLetters.ReplaceAllString(text, "$0-"), "-")
}

// NewInvite makes a one-time code of more than 128 bits, of letters and digits alone so that it may
// stand in a link to a bot (at most 64 of them: Bot API, deep linking), and its digest as it is
// kept.
func NewInvite() (code Secret, kept string) {
	text := rand.Text()
	return newSecret(text), DigestInvite(text)
}

// DigestInvite is the digest of an invite's code, however a person has typed it.
func DigestInvite(code string) string { return digest(withoutSpaces(codes.Normalize(code))) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// withoutSpaces is text without spaces and dashes.
func withoutSpaces(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
			return -1
		}
		return r
	}, text)
}
