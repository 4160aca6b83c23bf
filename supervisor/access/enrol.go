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
	secretSize    = 20 // length of a secret in bytes: 160 bits, as RFC 4226, section 4, recommends
	recoveryCodes = 10
	// length of a recovery code in bytes: 128 bits; from 112 bits a plain digest is enough (ASVS
	// 5.0, 6.5.2)
	recoverySize = 16
)

// Enrolment is a new second factor. It has the parts that the user sees once, and the part that is
// stored.
type Enrolment struct {
	Secret Secret // the secret in base32, to be typed into an authenticator app
	URL    Secret // the same secret as a URL: otpauth://...
	Sealed []byte // the sealed secret, for a supervisor.SecondFactor
}

// NewEnrolment makes a second factor for a user. The factor is unconfirmed until the user sends a
// code.
func (s *Sealer) NewEnrolment(user string) (Enrolment, error) {
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

// QRCodeWidth is the width in pixels of the QR codes for users.
const QRCodeWidth = 480

// QRCode returns a QR code of a text as PNG. The picture is at most size pixels wide, unless it
// must be wider to be readable. It has the white margin that a dark background requires.
func QRCode(text string, size int) ([]byte, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("make a picture of %d bytes: %w", len(text), err)
	}
	const margin = 4 // width of the white margin in modules (ISO 18004); package png draws the same margin
	code.Scale = max(2, size/(code.Size+2*margin))
	return code.PNG(), nil
}

// crockford is Douglas Crockford's base32. It lacks I, L, O and U, which are easily misread.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

var fourLetters = regexp.MustCompile(`.{4}`)

// misreadLetters replaces letters that people misread in a code with the right characters.
var misreadLetters = strings.NewReplacer("I", "1", "L", "1", "O", "0")

// NewRecoveryCodes makes recovery codes, and their digests for supervisor.SecondFactor. Each code
// opens the gate once, without the authenticator app.
func NewRecoveryCodes() (codes []Secret, digests []string) {
	for len(codes) < recoveryCodes {
		random := make([]byte, recoverySize)
		rand.Read(random)
		text := crockford.EncodeToString(random)
		if !hasRecoveryDigits(text) { // one code in two hundred could be mistaken for words
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

// NewInviteCode makes a one-time code and its digest. The code has more than 128 bits. It has only
// letters and digits, so that a link to a bot can contain it. A link to a bot takes at most 64
// characters (Bot API, deep linking).
func NewInviteCode() (code Secret, kept string) {
	text := rand.Text()
	return newSecret(text), DigestInviteCode(text)
}

// DigestInviteCode returns the digest of an invite's code. Case, spaces and dashes make no
// difference.
func DigestInviteCode(code string) string { return digest(withoutSpaces(codes.Normalize(code))) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// withoutSpaces returns a text without spaces and dashes.
func withoutSpaces(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
			return -1
		}
		return r
	}, text)
}
