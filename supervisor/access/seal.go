package access

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// sealVersion is the first byte of everything sealed: XChaCha20-Poly1305 with a random nonce, which
// follows it.
const sealVersion = 1

// sealPurpose keeps what is sealed here apart from anything else that the same key may seal one
// day.
const sealPurpose = "mews second factor"

// KeySize is how long a sealing key is, in bytes.
const KeySize = chacha20poly1305.KeySize

// Seal keeps the secrets of second factors from whoever reads the database without the key. It may
// be used from several goroutines. A nil *Seal is one whose key is not there: it seals nothing and
// opens nothing.
type Seal struct {
	aead cipher.AEAD
}

// NewSeal makes a seal of a key.
func NewSeal(key [KeySize]byte) *Seal {
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		panic("access: " + err.Error()) // only a key of another length is refused
	}
	return &Seal{aead: aead}
}

// Why nothing is sealed or opened.
var (
	errNoSeal = errors.New("the key that seals second factors is not there")
	errSealed = errors.New("it was sealed with another key, or changed since")
)

// Seal encrypts a secret. Only the same key opens it, and only as that user's.
func (s *Seal) Seal(user string, plain []byte) ([]byte, error) {
	if s == nil {
		return nil, errNoSeal
	}
	head := make([]byte, 1+s.aead.NonceSize(), 1+s.aead.NonceSize()+len(plain)+s.aead.Overhead())
	head[0] = sealVersion
	nonce := head[1:]
	rand.Read(nonce)
	return s.aead.Seal(head, nonce, plain, additionalData(user)), nil
}

// Open gives the secret back. An error means that the key is another one, that the secret was
// sealed for somebody else, or that it was changed since; which of these can't be known.
func (s *Seal) Open(user string, sealed []byte) ([]byte, error) {
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

// additionalData is authenticated with a secret, and not kept.
func additionalData(user string) []byte { return []byte(sealPurpose + "\x00" + user) }
