package release

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// compiledKeys are the two public keys of this build, in base64 and with a comma between them. The
// linker sets them. A development build has none.
var compiledKeys string

// Keys are public keys that may sign an index.
type Keys []ed25519.PublicKey

// CompiledKeys returns the keys of this build. A build without keys is an error: it can verify
// nothing.
func CompiledKeys() (Keys, error) {
	if compiledKeys == "" {
		return nil, errors.New(textNoKeys)
	}
	return ParseKeys(compiledKeys)
}

// ParseKeys parses two public keys in base64, with a comma between them.
func ParseKeys(text string) (keys Keys, err error) {
	for field := range strings.SplitSeq(text, ",") {
		key, err := base64.StdEncoding.DecodeString(field)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return nil, fmt.Errorf(textNoKey, field)
		}
		keys = append(keys, key)
	}
	if len(keys) != 2 || keys[0].Equal(keys[1]) {
		return nil, errors.New(textTwoKeys)
	}
	return keys, nil
}

func (k Keys) String() string {
	var fields []string
	for _, key := range k {
		fields = append(fields, base64.StdEncoding.EncodeToString(key))
	}
	return strings.Join(fields, ",")
}

// verify reports whether one of the keys has signed text. The signature is in base64.
func (k Keys) verify(text, signature string) bool {
	raw, err := base64.StdEncoding.DecodeString(signature)
	return err == nil && slices.ContainsFunc(k, func(key ed25519.PublicKey) bool {
		return ed25519.Verify(key, []byte(text), raw)
	})
}

// sign returns the signature of text, in base64.
func sign(private ed25519.PrivateKey, text string) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte(text)))
}
