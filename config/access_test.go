package config

import (
	"slices"
	"strings"
	"testing"
)

func TestTOTPKey_EachSpelling_IsRead(t *testing.T) {
	for text, want := range map[string]TOTPPolicy{
		"": TOTPOptional, ", totp: true": TOTPRequired, ", totp: required": TOTPRequired, ", totp: 'off'": TOTPOff, ", totp: off": TOTPOff,
		", totp: false": TOTPOff, ", totp: optional": TOTPOptional, `, totp: "${MODE}"`: TOTPRequired,
	} {
		cfg, err := load(t, "users: [{name: alice"+text+"}]\n", map[string]string{"MODE": "true"})
		if err != nil || cfg.Users[0].TOTP != want {
			t.Errorf("%q: got %+v, error %v", text, cfg, err)
		}
	}
}

func TestKeyFile_Content_BecomesKey(t *testing.T) {
	raw := strings.Repeat("\x01\n", 16)
	files := map[string]string{
		"/run/credentials/raw": raw, "/etc/mews/raw": "another", "/etc/mews/hex": strings.Repeat("010A", 16) + "\r\n",
		"/etc/mews/secret": "hunter2", "/etc/mews/long": strings.Repeat("z", 64),
	}
	env := testEnv(map[string]string{"CREDENTIALS_DIRECTORY": "/run/credentials"}, files)
	for name, want := range map[string]string{"raw": raw, "hex": raw, "secret": "", "long": ""} {
		files["/etc/mews/mews.yaml"] = "access: {key_file: " + name + "}\n"
		cfg, err := Load("/etc/mews/mews.yaml", env)
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "64 hexadecimal digits") || strings.Contains(err.Error(), files["/etc/mews/"+name])):
			t.Errorf("%s: got error %v", name, err)
		case want != "" && (err != nil || cfg.Access.Key.Reveal() != want):
			t.Errorf("%s: got %+v, error %v", name, cfg, err)
		}
	}
}

func TestMayChooseModel_MatchesGlobs(t *testing.T) {
	for spec, want := range map[string][]string{
		"claude/haiku": {"", "**", "claude/*", "*/*haiku*"}, "local/org/qwen3": {"", "**", "local/**"}, "offline": {"", "**", "offline"},
	} {
		var got []string
		for _, glob := range []string{"", "**", "claude/*", "*/*haiku*", "local/*", "local/**", "offline", "claude/opus"} {
			if (User{ModelsAllowed: strings.Fields(glob)}).MayChooseModel(spec) {
				got = append(got, glob)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: by %q, want %q", spec, got, want)
		}
	}
	if !(User{ModelsAllowed: []string{"a/*", "b/*"}}).MayChooseModel("b/c") {
		t.Error("the second of two globs does not count")
	}
}
