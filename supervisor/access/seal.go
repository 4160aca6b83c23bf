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

// sealPurpose separates sealed factors from other data that the same key may seal in the future.
const sealPurpose = "mews second factor"

// SealingKeySize is the length of a sealing key in bytes.
const SealingKeySize = chacha20poly1305.KeySize

// Sealer encrypts the secrets of second factors. Only the key can decrypt them. Its methods may be
// called from any goroutine. A nil *Sealer has no key: it seals and opens nothing.
type Sealer struct {
	aead cipher.AEAD
}

// NewSealer returns a Sealer with a key.
func NewSealer(key [SealingKeySize]byte) *Sealer {
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		panic("access: " + err.Error()) // impossible: the key has the right length
	}
	return &Sealer{aead: aead}
}

// Errors about sealed secrets.
var (
	errNoSeal = errors.New("the key that seals second factors is missing")
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
	return s.aead.Seal(head, nonce, plain, additionalData(user)), nil
}

// Open decrypts a secret. It fails if the key is wrong, the secret belongs to another user, or the
// secret was changed. The error does not name the reason.
func (s *Sealer) Open(user string, sealed []byte) ([]byte, error) {
	if s == nil {
		return nil, errNoSeal
	}
	size := 1 + s.aead.NonceSize()
	if len(sealed) < size+s.aead.Overhead() || sealed[0] != sealVersion {
		return nil, fmt.Errorf("open the second factor of %s: %d bytes: %w", user, len(sealed), errSealed)
	}
	plain, err := s.aead.Open(nil, sealed[1:size], sealed[size:], additionalData(user))
	if err != nil {
		return nil, fmt.Errorf("open the second factor of %s: %w", user, errSealed)
	}
	return plain, nil
}

// additionalData returns the data that is authenticated with a secret, but not stored.
func additionalData(user string) []byte { return []byte(sealPurpose + "\x00" + user) }
