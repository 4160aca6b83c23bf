package telegram

import (
	"crypto/sha256"
	"crypto/subtle"
	"sync"

	"mews/supervisor/internal/signals"
)

// WebhookSecret is the secret of a webhook, which can be replaced. Until Telegram knows the new
// secret, the old one counts too. It is safe for several goroutines.
type WebhookSecret struct {
	changed chan struct{} // holds a token if the secret was replaced

	mu         sync.Mutex // guards the fields below
	secret     string
	registered string // the secret that Telegram uses; "" before the first registration
}

// NewWebhookSecret returns a secret, which must not be "".
func NewWebhookSecret(secret string) *WebhookSecret {
	return &WebhookSecret{secret: secret, changed: make(chan struct{}, 1)}
}

// Set replaces the secret. "" changes nothing.
func (s *WebhookSecret) Set(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret == "" || secret == s.secret {
		return
	}
	if s.registered == "" {
		s.registered = s.secret // an earlier run may have registered it
	}
	s.secret = secret
	signals.SendToken(s.changed)
}

// current returns the secret, and whether Telegram uses it.
func (s *WebhookSecret) current() (secret string, registered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.secret, s.secret == s.registered
}

// noteRegistered stores the secret that Telegram uses from now on.
func (s *WebhookSecret) noteRegistered(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.registered = secret
}

// matches compares hashes, so that the time of the comparison reveals neither the secret's letters
// nor its length.
func (s *WebhookSecret) matches(given string) bool {
	s.mu.Lock()
	secret, registered := s.secret, s.registered
	s.mu.Unlock()
	if registered == "" {
		registered = secret
	}
	got, now, before := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(registered))
	return subtle.ConstantTimeCompare(got[:], now[:])|subtle.ConstantTimeCompare(got[:], before[:]) == 1
}
