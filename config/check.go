package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	kindOpenAI = "openai"
	roleAdmin  = "admin"
	roleUser   = "user"
)

var (
	logLevels     = []string{"trace", "debug", "info", "warn", "error"}
	logFormats    = []string{"json", "text"}
	providerKinds = []string{kindOpenAI}
	roles         = []string{roleAdmin, roleUser}
)

// userNames are names of users and of providers: they become parts of paths, and of commands that a person types.
var userNames = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

const wantName = "at most 32 of a-z, 0-9, _ and -, a letter or digit first"

// checker looks at a Config that is complete.
type checker struct {
	cfg         *Config
	places      places          // nil where no file was read
	wrongBefore map[string]bool // fields of which something was said already
	kept        []kept          // what no home may hold
	problems    []Problem
}

// check notes everything that is wrong.
func (c *checker) check() {
	c.checkLog()
	c.checkProviders()
	c.checkModel("models.default", c.cfg.Models.Default)
	c.checkLimits()
	c.checkGlobs("files", c.cfg.Files)
	c.checkState()
	c.checkUsers()
	c.checkHomes()
}

func (c *checker) checkLog() {
	c.checkWord("log.level", c.cfg.Log.Level, logLevels)
	c.checkWord("log.format", c.cfg.Log.Format, logFormats)
}

// checkLimits holds the bounds. They are wide: outside them a value is a slip, or does harm.
func (c *checker) checkLimits() {
	l := c.cfg.Limits
	within(c, "worker.idle", c.cfg.Worker.Idle, time.Second, 7*24*time.Hour)
	within(c, "limits.steps", l.Steps, 1, 1000)
	within(c, "limits.turn", l.Turn, time.Second, 24*time.Hour)
	within(c, "limits.history", l.History, 1000, 10_000_000)
	within(c, "limits.output", l.Output, KiB, 128*KiB) // it must fit into one line of the wire, escaped
}

// within notes a value out of its bounds.
func within[T cmp.Ordered](c *checker, field string, value, least, most T) {
	if value < least || value > most {
		c.wrong(field, readable(value), "from "+readable(least)+" to "+readable(most))
	}
}

// readable is a number as a person would write it: 168h, where time.Duration says 168h0m0s.
func readable(value any) string {
	text := fmt.Sprint(value)
	if _, ok := value.(time.Duration); ok {
		for _, zero := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, zero) {
				text = text[:len(text)-2]
			}
		}
	}
	return text
}

// checkWord notes a word that is none of a few.
func (c *checker) checkWord(field, word string, words []string) {
	if !slices.Contains(words, word) {
		c.wrong(field, quote(word), oneOf(words))
	}
}

func (c *checker) checkProviders() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		field, p := join("models.providers", name), c.cfg.Models.Providers[name]
		if !validProvider(name) {
			c.add(field, quote(name)+" as a name", wantName+", and not "+Offline)
		}
		c.checkWord(field+".kind", p.Kind, providerKinds)
		if p.Kind == kindOpenAI {
			c.checkURL(field+".base_url", p.BaseURL)
		}
	}
}

func validProvider(name string) bool { return userNames.MatchString(name) && name != Offline }

const wantURL = "a URL such as http://127.0.0.1:11434/v1, with no user, query or fragment"

// checkURL notes what is no address of an API. It shows nothing of one that may hold a password.
func (c *checker) checkURL(field, text string) {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !strings.ContainsAny(text, "?#") {
		return
	}
	if strings.ContainsAny(text, "@?") {
		c.add(field, hidden, wantURL)
		return
	}
	c.wrong(field, quote(text), wantURL)
}

// checkModel notes a model that nobody provides.
func (c *checker) checkModel(field, model string) {
	if model == Offline || c.wrongBefore["models.providers"] {
		return
	}
	provider, name, _ := strings.Cut(model, "/")
	if _, ok := c.cfg.Models.Providers[provider]; ok && name != "" {
		return
	}
	choices := []string{Offline}
	for _, p := range slices.Sorted(maps.Keys(c.cfg.Models.Providers)) {
		if validProvider(p) {
			choices = append(choices, p+"/MODEL")
		}
	}
	c.wrong(field, quote(model), oneOf(choices)+": a provider of models.providers and its name of the model")
}

const wantGlob = "a glob below the person's folder, such as notes/**/*.md"

func (c *checker) checkGlobs(field string, files Files) {
	for _, list := range []struct {
		key   string
		globs []string
	}{
		{"include", files.Include}, {"exclude", files.Exclude}, {"append_only", files.AppendOnly},
	} {
		if _, stands := c.places[field+"."+list.key]; !stands {
			continue // it is another's, and looked at there
		}
		for i, glob := range list.globs {
			if !validGlob(glob) {
				c.wrong(fmt.Sprintf("%s.%s[%d]", field, list.key, i), quote(glob), wantGlob)
			}
		}
	}
}

// validGlob says whether a glob can match a path below a folder.
func validGlob(glob string) bool {
	if glob == "" || path.IsAbs(glob) || !doublestar.ValidatePattern(glob) {
		return false
	}
	return !slices.Contains(strings.Split(glob, "/"), "..")
}

// wrong notes a problem of a field, as the file has it where the file has it; value is shown where it does not.
func (c *checker) wrong(field, value, want string) {
	if at, ok := c.places[field]; ok {
		value = at.text
	}
	if value == `""` {
		value = "nothing"
	}
	c.add(field, value, want)
}

func (c *checker) add(field, value, want string) {
	for f := field; f != ""; f = parent(f) {
		if c.wrongBefore[f] {
			return
		}
	}
	c.problems = append(c.problems, Problem{Line: c.line(field), Field: field, Value: value, Want: want})
}

// line is where field stands, or the nearest thing that it would stand in.
func (c *checker) line(field string) int {
	for f := field; f != ""; f = parent(f) {
		if at, ok := c.places[f]; ok {
			return at.line
		}
	}
	return 0
}

// parent is the field that field is in, "" for the file.
func parent(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}
