package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"mews/config"
)

// Answers are what an admin says about the service. They hold no secret.
type Answers struct {
	// the file with the bot's token; "none" means no Telegram
	TokenFile string `yaml:"token_file" json:"-"`
	// the root of another Bot API; "" means Telegram's own
	TelegramURL string `yaml:"telegram_url" json:"telegram_url,omitempty"`
	Telegram    bool   `yaml:"-" json:"telegram,omitempty"`    // there is a bot
	NoTelegram  bool   `yaml:"-" json:"no_telegram,omitempty"` // the answer was that there is none
	// the model as PROVIDER/MODEL, or offline
	Model    string   `yaml:"model" json:"model"`
	ModelURL string   `yaml:"model_url" json:"model_url,omitempty"` // the address of a provider that Mews does not know
	KeyFile  string   `yaml:"key_file" json:"-"`
	Keyed    bool     `yaml:"-" json:"keyed,omitempty"` // the model's provider has a key
	People   []Person `yaml:"people" json:"people"`
	Timezone string   `yaml:"timezone" json:"timezone"`
	Month    *float64 `yaml:"month" json:"month"` // US dollars for all people together; 0 means no limit
	// Mews makes backups by itself; without an answer it does
	Backups *bool `yaml:"backups" json:"backups"`
	// the age recipient of homes in backups; "" means that the installer makes a key and shows it
	Recipient string `yaml:"recipient" json:"recipient,omitempty"`
	// the feed of releases, from which Mews updates itself once a day; "" and none mean no updates
	Updates string `yaml:"updates" json:"updates,omitempty"`
	// the state folder of an earlier Mews whose data come along, and its configuration; "" means none
	From       string `yaml:"from" json:"from,omitempty"`
	FromConfig string `yaml:"from_config" json:"from_config,omitempty"`
}

// Person is a user whom the installer sets up.
type Person struct {
	Name  string `yaml:"name" json:"name"`
	Admin bool   `yaml:"admin" json:"admin,omitempty"`
	// none, new for one that the installer makes, or own for the one of the person's name
	Account  string `yaml:"account" json:"account,omitempty"`
	Timezone string `yaml:"timezone" json:"timezone,omitempty"` // "" means the one of all people
}

// Kinds of accounts.
const (
	accountNone = "none"
	accountNew  = "new"
	accountOwn  = "own"
)

const (
	noTelegram   = "none"
	noUpdates    = "none"
	offlineModel = config.OfflineModel
	maxAnswers   = 1 << 16
)

// ReadAnswers reads a file of answers. It refuses unknown keys.
func ReadAnswers(path string) (a Answers, err error) {
	file, err := os.Open(path)
	if err != nil {
		return a, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxAnswers))
	if err = errors.Join(err, file.Close()); err != nil {
		return a, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&a); err != nil && !errors.Is(err, io.EOF) {
		return a, fmt.Errorf(textAnswersUnread, path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return a, nil
}

// ParsePerson parses NAME[:admin][:new|:own], as the flag --person has it.
func ParsePerson(text string) (p Person, err error) {
	words := strings.Split(text, ":")
	p.Name = words[0]
	for _, word := range words[1:] {
		switch word {
		case "admin":
			p.Admin = true
		case accountNew, accountOwn, accountNone:
			p.Account = word
		default:
			return p, fmt.Errorf(textBadPerson, text)
		}
	}
	return p, nil
}

// Merge takes the answers of more that are set.
func (a *Answers) Merge(more Answers) {
	set := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	set(&a.TokenFile, more.TokenFile)
	set(&a.TelegramURL, more.TelegramURL)
	set(&a.Model, more.Model)
	set(&a.ModelURL, more.ModelURL)
	set(&a.KeyFile, more.KeyFile)
	set(&a.Timezone, more.Timezone)
	set(&a.Recipient, more.Recipient)
	if more.People != nil {
		a.People = more.People
	}
	set(&a.Updates, more.Updates)
	set(&a.From, more.From)
	set(&a.FromConfig, more.FromConfig)
	if more.Month != nil {
		a.Month = more.Month
	}
	if more.Backups != nil {
		a.Backups = more.Backups
	}
}

// lacksTelegram reports whether it is unknown whether there is a bot.
func (a Answers) lacksTelegram() bool { return !a.Telegram && !a.NoTelegram }

// missing names the answers that are still to be given.
func (a Answers) missing() (keys []string) {
	add := func(key string, missing bool) {
		if missing {
			keys = append(keys, key)
		}
	}
	add("token_file", a.lacksTelegram())
	add("model", a.Model == "")
	add("people", len(a.People) == 0)
	add("timezone", a.Timezone == "")
	add("month", a.Month == nil)
	return keys
}

// check refuses answers that make no service.
func (a Answers) check() error {
	if keys := a.missing(); len(keys) > 0 {
		return fmt.Errorf(textMissing, strings.Join(keys, ", "))
	}
	err := errors.Join(checkZone(a.Timezone), checkMonth(*a.Month), a.checkModel(), a.checkPeopleOnly(),
		checkFeed(a.Updates), checkRecipient(a.Recipient))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(a.People, func(p Person) bool { return p.Admin }) {
		return errors.New(textNoAdmin)
	}
	return nil
}

func checkZone(zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" || zone == "" {
		return fmt.Errorf(textBadZone, zone)
	}
	return nil
}

// maxMonth is far above what a household pays; more is a typo.
const maxMonth = 1e6

func checkMonth(month float64) error {
	if !(month >= 0 && month <= maxMonth) { // NaN too is no amount
		return fmt.Errorf(textBadMonth, month)
	}
	return nil
}

// ParseMonth parses an amount in US dollars.
func ParseMonth(text string) (*float64, error) {
	month, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil {
		return nil, fmt.Errorf(textBadMonth, strconv.Quote(text))
	}
	return &month, checkMonth(month)
}

// ParseYes parses yes or no.
func ParseYes(text string) (*bool, error) {
	for _, yes := range []bool{true, false} {
		word := map[bool]string{true: "yes", false: "no"}[yes]
		if text != "" && strings.HasPrefix(word, strings.ToLower(text)) {
			return &yes, nil
		}
	}
	return nil, fmt.Errorf(textBadYes, text)
}

// checkFeed refuses what is neither an https address nor a folder, as the configuration does.
func checkFeed(feed string) error {
	u, err := url.Parse(feed)
	isAddress := err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.RawQuery == ""
	if feed == "" || feed == noUpdates || isAddress || path.IsAbs(feed) && isOneLine(feed) {
		return nil
	}
	return fmt.Errorf(textBadFeed, feed)
}

// checkPeopleOnly refuses wrong names and accounts of people.
func (a Answers) checkPeopleOnly() error {
	for i, p := range a.People {
		switch {
		case !config.IsValidUserName(p.Name):
			return fmt.Errorf(textBadName, p.Name)
		case !slices.Contains([]string{"", accountNone, accountNew, accountOwn}, p.Account):
			return fmt.Errorf(textBadAccount, p.Name, p.Account)
		case slices.ContainsFunc(a.People[:i], func(q Person) bool { return q.Name == p.Name }):
			return fmt.Errorf(textTwice, p.Name)
		}
	}
	return nil
}

// accountOf returns the name of a person's account; "" if there is none.
func (l Layout) accountOf(p Person) string {
	switch p.Account {
	case accountNew:
		return l.name(p.Name)
	case accountOwn:
		return p.Name
	}
	return ""
}
