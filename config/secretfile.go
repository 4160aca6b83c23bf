package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretKey is a secret's key in the file and the *_file key that may stand in its place.
type secretKey struct {
	field  string // of the secret itself
	file   string // what the other key names; "" where it does not stand
	what   string // "the key"
	secret *Secret
}

// readSecrets reads what the *_file keys name. A relative name is that of a file in systemd's $CREDENTIALS_DIRECTORY
// where it has one, else beside the configuration, in dir.
func (c *checker) readSecrets(dir string, env Env) {
	t := &c.cfg.Telegram
	c.readSecret(secretKey{"telegram.token", t.TokenFile, "the token", &t.Token}, dir, env)
	c.readSecret(secretKey{"telegram.webhook.secret", t.Webhook.SecretFile, "the secret", &t.Webhook.Secret}, dir, env)
	c.readKey(dir, env)
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		p := c.cfg.Models.Providers[name]
		c.readSecret(secretKey{join("models.providers", name) + ".api_key", p.APIKeyFile, "the key", &p.APIKey}, dir, env)
		c.cfg.Models.Providers[name] = p
	}
}

func (c *checker) readSecret(k secretKey, dir string, env Env) {
	field := k.field + "_file"
	if k.file == "" {
		return
	}
	if _, both := c.places[k.field]; both {
		key := k.field[strings.LastIndex(k.field, ".")+1:]
		c.wrong(field, quote(k.file), fmt.Sprintf("either %s or %s_file", key, key))
		return
	}
	path, secret, err := readSecret(k.file, dir, env)
	if err != nil {
		c.wrong(field, quote(k.file), fmt.Sprintf("a file with one line, %s: %v", k.what, err))
		c.wrongBefore[field] = true // a secret that could not be read has no wrong shape
		return
	}
	c.kept = append(c.kept, kept{path, k.what + " of " + parent(k.field)})
	*k.secret = secret
}

// readSecret is the only line of a file, and the file's absolute path. No error holds anything of the line.
func readSecret(name, dir string, env Env) (string, Secret, error) {
	path, text, err := openSecret(name, dir, env)
	if err != nil {
		return "", Secret{}, err
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	switch {
	case line == "":
		return "", Secret{}, fmt.Errorf("%s is empty", path)
	case strings.ContainsFunc(line, unicode.IsControl):
		return "", Secret{}, fmt.Errorf("%s has more than one line, or control characters", path)
	}
	return path, NewSecret(line), nil
}

// keySize is how many bytes the key has that secrets are sealed with.
const keySize = 32

// readKey reads the key of 32 bytes that access.key_file names: as they are, or as a line of 64 hexadecimal digits.
func (c *checker) readKey(dir string, env Env) {
	const field = "access.key_file"
	a := &c.cfg.Access
	if a.KeyFile == "" {
		return
	}
	path, raw, err := openSecret(a.KeyFile, dir, env)
	if err == nil && len(raw) != keySize {
		raw, err = hex.DecodeString(strings.TrimRight(string(raw), "\r\n"))
		if err != nil || len(raw) != keySize {
			err = fmt.Errorf("%s holds neither", path) // nothing of what it holds
		}
	}
	if err != nil {
		c.wrong(field, quote(a.KeyFile), "a file of 32 random bytes, or of 64 hexadecimal digits such as `openssl rand -hex 32` "+
			"makes: "+err.Error())
		return
	}
	c.kept = append(c.kept, kept{path, "the key of access"})
	a.Key = NewSecret(string(raw))
}

func openSecret(name, dir string, env Env) (string, []byte, error) {
	if filepath.IsAbs(name) {
		text, err := env.ReadFile(name)
		return filepath.Clean(name), text, err
	}
	if credentials := env.Getenv("CREDENTIALS_DIRECTORY"); credentials != "" {
		path := filepath.Join(credentials, name)
		text, err := env.ReadFile(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return path, text, err
		}
	}
	path := filepath.Join(dir, name)
	text, err := env.ReadFile(path)
	return path, text, err
}

// checkSecret notes a secret that is missing or has not its shape, where it comes from. shape is nil where any will do.
func (c *checker) checkSecret(field string, secret Secret, shape *regexp.Regexp, want string) {
	if _, file := c.places[field+"_file"]; file {
		field += "_file"
	}
	switch text := secret.Reveal(); {
	case text == "":
		c.add(field, "nothing", want)
	case shape != nil && !shape.MatchString(text):
		c.wrong(field, hidden, want)
	}
}
