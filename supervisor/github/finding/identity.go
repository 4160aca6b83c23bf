package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// KnownFinding identifies a finding that was posted before or muted.
type KnownFinding struct {
	Fingerprint string
	Path        string
	Title       string
	Window      string // the finding's Window; "" in mutes that an older version of Mews stored
}

// Identity returns the parts of a finding that identify it.
func (f Finding) Identity() KnownFinding {
	return KnownFinding{Fingerprint: f.Fingerprint, Path: f.Path, Title: f.Title, Window: f.Window}
}

// Matches reports whether f is the known finding: same code, and same words in the title. The
// category does not matter, because models name it differently each time.
func (k KnownFinding) Matches(f Finding) bool {
	if k.Fingerprint == f.Fingerprint {
		return true
	}
	if k.Window == "" { // an older version of Mews stored the mute
		return k.Fingerprint == olderFingerprint(f)
	}
	return k.Path == f.Path && k.Window == f.Window && isSameTitle(k.Title, f.Title)
}

// Fingerprint identifies a finding by its code and its title's words. It does not change if the
// code moves within its file.
func Fingerprint(path, window, title string) string {
	return digest(fmt.Sprintf("%q %q %q", path, squeezed(window), titleWords(title)))
}

// olderFingerprint is the fingerprint that older versions of Mews made: with the category instead
// of the title. The mutes of these versions still hold.
func olderFingerprint(f Finding) string {
	return digest(fmt.Sprintf("%q %q %q", f.Path, f.Window, f.Category))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
