package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// readSecrets reads what the *_file keys name. A relative name is that of a file in systemd's $CREDENTIALS_DIRECTORY
// where it has one, else beside the configuration, in dir.
func (c *checker) readSecrets(dir string, env Env) {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		p := c.cfg.Models.Providers[name]
		field := join("models.providers", name)
		if p.APIKeyFile == "" {
			continue
		}
		if _, both := c.places[field+".api_key"]; both {
			c.wrong(field+".api_key_file", quote(p.APIKeyFile), "either api_key or api_key_file")
			continue
		}
		path, secret, err := readSecret(p.APIKeyFile, dir, env)
		if err != nil {
			c.wrong(field+".api_key_file", quote(p.APIKeyFile), "a file with one line, the key: "+err.Error())
			continue
		}
		c.kept = append(c.kept, kept{path, "the key of " + field})
		p.APIKey = secret
		c.cfg.Models.Providers[name] = p
	}
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
