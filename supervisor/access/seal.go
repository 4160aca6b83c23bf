package access

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// sealVersion is the first byte of sealed data. It means XChaCha20-Poly1305 with a random nonce.
// The nonce follows this byte.
const sealVersion = 1

// Purposes separate the secrets that the same key seals.
const (
	purposeFactor = "second factor"
	// PurposeCalendar is for the addresses of calendars.
	PurposeCalendar = "calendar address"
)

// SealingKeySize is the length of a sealing key in bytes.
const SealingKeySize = chacha20poly1305.KeySize

// Sealer encrypts the secrets of one purpose. Only the key can decrypt them. Its methods may be
// called from any goroutine. A nil *Sealer has no key: it seals and opens nothing.
type Sealer struct {
	aead    cipher.AEAD
	purpose string
}

// NewSealer returns a Sealer of second factors with a key.
func NewSealer(key [SealingKeySize]byte) *Sealer {
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		panic("access: " + err.Error()) // impossible: the key has the right length
	}
	return &Sealer{aead: aead, purpose: purposeFactor}
}

// For returns a Sealer of another purpose with the same key.
func (s *Sealer) For(purpose string) *Sealer {
	if s == nil {
		return nil
	}
	return &Sealer{aead: s.aead, purpose: purpose}
}

// Errors about sealed secrets.
var (
	errNoSeal = errors.New("the key that seals secrets is missing")
	errSealed = errors.New("it was sealed with another key, or changed since")
)

// Seal encrypts a secret. Only the same key opens it, and only for the same user.
func (s *Sealer) Seal(user string, plain []byte) ([]byte, error) {
	if s == nil {
		return nil, errNoSeal
	}
	head := make([]byte, 1+s.aead.NonceSize(), 1+s.aead.NonceSize()+len(plain)+s.aead.Overhead())
	head[0] = sealVersion
	nonce := head[1:]
	rand.Read(nonce)
	return s.aead.Seal(head, nonce, plain, s.additionalData(user)), nil
}

// Open decrypts a secret. It fails if the key is wrong, the secret belongs to another user, or the
// secret was changed. The error does not name the reason.
func (s *Sealer) Open(user string, sealed []byte) ([]byte, error) {
	if s == nil {
		return nil, errNoSeal
	}
	size := 1 + s.aead.NonceSize()
	if len(sealed) < size+s.aead.Overhead() || sealed[0] != sealVersion {
		return nil, fmt.Errorf("open the %s of %s: %d bytes: %w", s.purpose, user, len(sealed), errSealed)
	}
	plain, err := s.aead.Open(nil, sealed[1:size], sealed[size:], s.additionalData(user))
	if err != nil {
		return nil, fmt.Errorf("open the %s of %s: %w", s.purpose, user, errSealed)
	}
	return plain, nil
}

// additionalData returns the data that is authenticated with a secret, but not stored.
func (s *Sealer) additionalData(user string) []byte {
	return []byte("mews " + s.purpose + "\x00" + user)
}
