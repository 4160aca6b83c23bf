package config

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	roleAdmin = "admin"
	roleUser  = "user"
)

var (
	logLevels  = []string{"trace", "debug", "info", "warn", "error"}
	logFormats = []string{"json", "text"}
	roles      = []string{roleAdmin, roleUser}
	streams    = []string{StreamEdit, StreamFinal}
	busies     = []string{BusySteer, BusyQueue, BusyRestart}
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
	telegramChecker{c}.checkWebhooks()
	telegramChecker{c}.checkTelegram()
	c.checkWord("chat.stream", c.cfg.Chat.Stream, streams)
	c.checkWord("chat.busy", c.cfg.Chat.Busy, busies)
	modelChecker{c}.checkModels()
	c.checkLimits()
	gateChecker{c}.checkGate()
	c.checkGlobs("files", c.cfg.Files)
	c.checkState()
	c.checkUsers()
	c.checkHomes()
	c.checkNested()
}

func (c *checker) checkLog() {
	c.checkWord("log.level", c.cfg.Log.Level, logLevels)
	c.checkWord("log.format", c.cfg.Log.Format, logFormats)
}

// checkLimits holds the bounds. They are wide: outside them a value is a slip, or does harm.
func (c *checker) checkLimits() {
	l := c.cfg.Limits
	w := c.cfg.Worker
	c.checkWord("worker.sandbox", w.Sandbox, append([]string{"auto"}, tiers...))
	c.checkWord("worker.sandbox_min", w.SandboxMin, tiers)
	within(c, "worker.memory", w.Memory, 64*MiB, 1024*GiB)
	within(c, "worker.pids", w.PIDs, 32, 1<<16)
	if w.Disk != 0 && w.Disk < MiB {
		c.wrong("worker.disk", readable(w.Disk), "at least 1MiB, or 0B for no limit")
	}
	c.checkFolders("worker.read_only", w.ReadOnly)
	within(c, "worker.idle", c.cfg.Worker.Idle, time.Second, 7*24*time.Hour)
	within(c, "limits.steps", l.Steps, 1, 1000)
	within(c, "limits.turn", l.Turn, time.Second, 24*time.Hour)
	within(c, "limits.turns", l.Turns, 1, 256)
	within(c, "limits.model_calls", l.ModelCalls, 1, 256)
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
	switch value := value.(type) {
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case time.Duration:
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

// checkURL notes what is no URL, or not one that fits, and says whether it is right. It shows nothing of one that may
// hold a password.
func (c *checker) checkURL(field, text, want string, fits func(*url.URL) bool) bool {
	u, err := url.Parse(text)
	switch {
	case err == nil && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(text, "?#") && fits(u):
		return true
	case strings.ContainsAny(text, "@?"):
		c.add(field, hidden, want)
	default:
		c.wrong(field, quote(text), want)
	}
	return false
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
