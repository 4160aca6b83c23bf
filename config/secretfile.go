package config

import (
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"unicode"
)

// secretForm is the format of a file with a secret.
type secretForm struct {
	want string // right content of the file in words, with verbs for the secret's name and the mistake
	read func(path string, content []byte) (secret string, err error)
}

// secretForms has the formats by the form tag of a field.
var secretForms = map[string]secretForm{"": {wantLineFile, readLine}, "key": {wantKeyFile, readKey}, "pem": {wantPEMFile, readPEM}}

// readSecretFile reads the file that a field with a holds tag names.
func (b *binder) readSecretFile(in reflect.Value, field reflect.StructField, path string) {
	secret, ok := field.Tag.Lookup("holds")
	name := in.FieldByIndex(field.Index).String()
	if !ok || name == "" {
		return
	}
	instead := strings.TrimSuffix(path, "_file") // the key for the secret itself, such as token for token_file
	if _, both := b.locations[instead]; both {
		b.addWrong(path, fmt.Sprintf(wantEither, instead[strings.LastIndex(instead, ".")+1:]))
		return
	}
	what := instead[strings.LastIndexAny(instead, "._")+1:]
	form := secretForms[field.Tag.Get("form")]
	file, content, err := b.openSecret(name)
	text := ""
	if err == nil {
		text, err = form.read(file, content)
	}
	if errors.Is(err, fs.ErrNotExist) && field.Tag.Get("unset") == unsetEmpty {
		return
	}
	if err != nil {
		b.addWrong(path, fmt.Sprintf(form.want, what, err))
		return
	}
	in.FieldByName(secret).Set(reflect.ValueOf(NewSecret(text)))
	b.secretFiles = append(b.secretFiles, file)
	b.protected = append(b.protected, protectedPath{file, "the " + what + " of " + parentPath(path)})
}

// openSecret reads a file. A relative name is looked up in systemd's $CREDENTIALS_DIRECTORY first,
// and then in the folder of the configuration.
func (b *binder) openSecret(name string) (path string, content []byte, err error) {
	path = name
	if credentials := b.env.Getenv("CREDENTIALS_DIRECTORY"); credentials != "" && !filepath.IsAbs(name) {
		path = filepath.Join(credentials, name)
		content, err = b.env.ReadFile(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return path, content, err
		}
	}
	path = absolute(name, b.dir)
	content, err = b.env.ReadFile(path)
	return path, content, err
}

// readLine returns the only line of a file. Its errors show nothing of the content.
func readLine(path string, content []byte) (string, error) {
	line := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	switch {
	case line == "":
		return "", fmt.Errorf("%s is empty", path)
	case strings.ContainsFunc(line, unicode.IsControl):
		return "", fmt.Errorf("%s has more than one line, or control characters", path)
	}
	return line, nil
}

// keySize is the size in bytes of the key that seals secrets.
const keySize = 32

// readKey returns a key of keySize raw bytes, or in one line of hexadecimal digits. Its errors show
// nothing of the content.
func readKey(path string, content []byte) (string, error) {
	if len(content) == keySize {
		return string(content), nil
	}
	key, err := hex.DecodeString(strings.TrimRight(string(content), "\r\n"))
	if err != nil || len(key) != keySize {
		return "", fmt.Errorf("%s holds neither", path)
	}
	return string(key), nil
}

// readPEM returns an RSA private key in a PEM file, as GitHub makes it. Its errors show nothing of
// the content.
func readPEM(path string, content []byte) (string, error) {
	if block, _ := pem.Decode(content); block != nil {
		if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return string(content), nil
		}
	}
	return "", fmt.Errorf("%s holds none", path)
}
