package install

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"mews/config"
	"mews/deploy"
)

// Names of the secrets, which are the names of their files and of their credentials.
const (
	secretToken = "telegram.token"
	secretKey   = "model.key"
)

// Secrets are the names that `mews install secret` takes.
var Secrets = []string{secretToken, secretKey}

// deployed returns a file of deploy, as the instance has it.
func (l Layout) deployed(name string) (string, error) {
	text, err := deploy.Files.ReadFile(name)
	return l.adapt(string(text)), err
}

// renderConfig writes the configuration that follows from the answers.
func (in *Installer) renderConfig() string {
	a, l := in.record.Answers, in.layout
	var b strings.Builder
	fmt.Fprintf(&b, textConfigHead, l.Mews("check"), l.Mews("reload"))
	fmt.Fprintf(&b, "state: %s\nsocket_group: %s\n", l.state(), l.people())
	fmt.Fprintf(&b, "listen: 127.0.0.1:%d\n", in.record.Port)
	if a.Telegram {
		fmt.Fprintf(&b, "\ntelegram:\n  token_file: %s\n", secretToken)
		if a.TelegramURL != "" {
			fmt.Fprintf(&b, "  api_url: %s\n", a.TelegramURL)
		}
	}
	b.WriteString(modelText(a))
	fmt.Fprintf(&b, "\nworker:\n  uids: %d-%d\n", in.record.FirstUID, in.record.FirstUID+uidsEach-1)
	if in.facts.IsSmall() {
		fmt.Fprintf(&b, textSmallConfig, smallMemory>>20)
	}
	fmt.Fprintf(&b, "\nbudget:\n  month: %s\n", strconv.FormatFloat(*a.Month, 'f', -1, 64))
	if a.wantsBackups() {
		b.WriteString(textBackupConfig)
		if a.Recipient != "" {
			fmt.Fprintf(&b, textRecipientConfig, a.Recipient)
		}
	}
	if a.Updates != "" && a.Updates != noUpdates {
		fmt.Fprintf(&b, "\nupdate:\n  feed: %q\n  daily: true\n", a.Updates)
	}
	b.WriteString("\nusers:\n")
	for _, p := range a.People {
		b.WriteString(l.userText(p, a.Timezone))
	}
	return b.String()
}

// modelText writes the section of models.
func modelText(a Answers) string {
	provider, _, _ := strings.Cut(a.Model, "/")
	if a.Model == offlineModel {
		return "\nmodels:\n  default: offline\n"
	}
	var b strings.Builder
	p := ProviderOf(a)
	fmt.Fprintf(&b, "\nmodels:\n  default: %s\n  providers:\n    %s:\n      kind: %s\n", a.Model, provider, p.Kind)
	for _, line := range [][2]string{{"base_url", p.BaseURL}, {"server", p.Server}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "      %s: %s\n", line[0], line[1])
		}
	}
	if a.Keyed {
		fmt.Fprintf(&b, "      api_key_file: %s\n", secretKey)
	}
	return b.String()
}

// ollamaURL is where an Ollama on this machine listens.
const ollamaURL = "http://127.0.0.1:11434/v1"

// ProviderOf returns the provider of the answered model. An unknown provider has no address unless
// the answers name it.
func ProviderOf(a Answers) config.Provider {
	name, _, _ := strings.Cut(a.Model, "/")
	p, known := config.KnownProvider(name)
	if !known {
		p.Kind = "openai"
		if name == "ollama" {
			p.BaseURL, p.Server = ollamaURL, "ollama"
		}
	}
	if a.ModelURL != "" {
		p.BaseURL = a.ModelURL
	}
	return p
}

// userText writes one user of the configuration.
func (l Layout) userText(p Person, zone string) string {
	text := "  - name: " + p.Name + "\n"
	if p.Admin {
		text += "    role: admin\n"
	}
	if account := l.accountOf(p); account != "" {
		text += "    account: " + account + "\n    home: " + path.Join(l.homes(), p.Name) + "\n"
	}
	return text + "    timezone: " + cmp.Or(p.Timezone, zone) + "\n"
}

var (
	policyUIDs   = regexp.MustCompile(`(?m)^uids .*\n`)
	policyPeople = regexp.MustCompile(`(?m)^people .*$`)
	policyMemory = regexp.MustCompile(`(?m)^memory .*$`)
)

// renderPolicy writes the spawner's policy, which names each account. It needs the accounts.
func (in *Installer) renderPolicy() (string, error) {
	text, err := in.layout.deployed("spawner.policy")
	if err != nil {
		return "", err
	}
	lines := "uids none\n"
	for _, p := range in.record.Answers.People {
		name := in.layout.accountOf(p)
		if name == "" {
			continue
		}
		a, found, err := in.machine.account(name)
		if err != nil {
			return "", err
		}
		ids := textIDsLater
		if found {
			ids = fmt.Sprintf("%d:%d", a.uid, a.gid)
		}
		lines += fmt.Sprintf("# %s\nperson %s\n", p.Name, ids)
	}
	text = policyUIDs.ReplaceAllLiteralString(text, lines)
	first := in.record.FirstUID
	text = policyPeople.ReplaceAllLiteralString(text, fmt.Sprintf("people %d-%d", first, first+uidsEach-1))
	if in.facts.IsSmall() {
		text = policyMemory.ReplaceAllLiteralString(text, fmt.Sprintf("memory %d", smallMemory))
	}
	return text, nil
}

// renderDropIn writes the drop-in with the credentials.
func (in *Installer) renderDropIn() string {
	text := textDropInHead
	for _, name := range in.record.Answers.secrets() {
		text += fmt.Sprintf("LoadCredential=%s:%s\n", name, path.Join(in.layout.etc(), name))
	}
	return text
}

// secrets lists the secrets that the answers need.
func (a Answers) secrets() (names []string) {
	if a.Telegram {
		names = append(names, secretToken)
	}
	if a.Keyed {
		names = append(names, secretKey)
	}
	return names
}
