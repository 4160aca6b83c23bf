package config

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// checker checks a complete Config.
type checker struct {
	cfg        *Config
	effects    EffectRules     // known effects, from Env
	locations  locations       // line and text of each value in the file; nil if no file was read
	hasProblem map[string]bool // keys that already have a problem
	protected  []protectedPath
	problems   []Problem
}

// protectedPath is a path that no home may contain, because a user's programs read and write in the
// home.
type protectedPath struct {
	path string
	what string
}

// checks maps the names in check tags to functions. Each function gets the path and the value of a
// key.
var checks = map[string]func(c *checker, path string, value any){
	"state":          checkOf((*checker).checkState),
	"listen":         checkOf((*checker).checkListen),
	"feed":           checkOf((*checker).checkFeed),
	"token":          checkOf((*checker).checkToken),
	"bot_api":        checkOf((*checker).checkBotAPI),
	"bot_files":      checkOf((*checker).checkBotFiles),
	"webhook":        checkOf((*checker).checkWebhook),
	"groups":         checkOf((*checker).checkGroups),
	"providers":      checkOf((*checker).checkProviders),
	"default_model":  checkOf((*checker).checkDefault),
	"model":          checkOf((*checker).checkModel),
	"embed_model":    checkOf((*checker).checkEmbedModel),
	"fallback":       checkOf((*checker).checkFallback),
	"model_globs":    checkOf((*checker).checkModelGlobs),
	"prices":         checkOf((*checker).checkPrices),
	"session_max":    checkOf((*checker).checkSessionMax),
	"rules":          checkOf((*checker).checkRules),
	"users":          checkOf((*checker).checkUsers),
	"uids":           checkOf((*checker).checkUIDs),
	"account":        checkOf((*checker).checkAccount),
	"timezone":       checkOf((*checker).checkTimezone),
	"folders":        checkOf((*checker).checkFolders),
	"globs":          checkOf((*checker).checkGlobs),
	"history_dir":    checkOf((*checker).checkHistoryDir),
	"speech_in":      checkOf((*checker).checkSpeechIn),
	"speech_out":     checkOf((*checker).checkSpeechOut),
	"open_meteo":     checkOf((*checker).checkOpenMeteo),
	"web_search":     checkOf((*checker).checkWebSearch),
	"github_api":     checkOf((*checker).checkGitHubAPI),
	"github_login":   checkOf((*checker).checkGitHubLogin),
	"github_repos":   checkOf((*checker).checkGitHubRepos),
	"recipients":     checkOf((*checker).checkRecipients),
	"hooks":          checkOf((*checker).checkHooks),
	"services":       checkOf((*checker).checkServices),
	"backup":         checkOf((*checker).checkBackup),
	"secret_text":    checkOf((*checker).checkServiceSecret),
	"private_listen": checkOf((*checker).checkPrivateListen),
	"alarm_url":      checkOf((*checker).checkAlarmURL),
	"calendars":      checkOf((*checker).checkCalendars),
}

// checkOf adapts a check of one type to a check of any value.
func checkOf[T any](check func(c *checker, path string, value T)) func(*checker, string, any) {
	return func(c *checker, path string, value any) { check(c, path, value.(T)) }
}

// check notes all problems of the Config.
func (c *checker) check() {
	rootKey(c.cfg).walk(func(k key) bool {
		c.checkWord(k)
		c.checkBounds(k)
		if name := k.tag.Get("check"); name != "" {
			checks[name](c, k.path, k.value.Interface())
		}
		return true
	})
	c.checkHomes()
	c.checkNested()
	c.checkHistories()
}

// checkWord notes a word that is not in the oneof tag. A key without a default may be empty.
func (c *checker) checkWord(k key) {
	words := strings.Fields(k.tag.Get("oneof"))
	if word := k.value.String(); len(words) > 0 && (word != "" || c.isSet(k.path)) {
		c.checkOneOf(k.path, word, words)
	}
}

func (c *checker) checkOneOf(path, word string, words []string) {
	if !slices.Contains(words, word) {
		c.wrong(path, quote(word), oneOf(words))
	}
}

// checkBounds notes a value outside the bounds of its tags. The bounds are so wide that a value
// outside is a typo or harmful.
func (c *checker) checkBounds(k key) {
	least, most, zero := k.tag.Get("min"), k.tag.Get("max"), k.tag.Get("zero")
	if least == "" || zero != "" && k.value.IsZero() {
		return
	}
	low := toFloat(k.value) < toFloat(fromTag(k.value.Type(), least))
	switch {
	case most != "" && (low || toFloat(k.value) > toFloat(fromTag(k.value.Type(), most))):
		c.wrong(k.path, formatNumber(k.value.Interface()), fmt.Sprintf(wantBetween, least, most))
	case most == "" && low:
		c.wrong(k.path, formatNumber(k.value.Interface()), fmt.Sprintf(wantAtLeast, least, reflect.Zero(k.value.Type()), zero))
	}
}

// toFloat converts a value with min or max tags. float64 is exact for all bounds in the tags.
func toFloat(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// formatNumber formats a number as people write it: 168h, and not the 168h0m0s of time.Duration.
func formatNumber(value any) string {
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

func (c *checker) checkSessionMax(path string, most time.Duration) {
	if session := c.cfg.Access.Session; most < session {
		c.wrong(path, formatNumber(most), fmt.Sprintf(wantSessionMax, formatNumber(session)))
	}
}

func (c *checker) checkRules(path string, rules EffectRules) {
	for _, effect := range slices.Sorted(maps.Keys(rules)) {
		at := join(path, effect)
		if c.effects[effect] == "" {
			c.add(at, gotUnknownKey, knownKeys(effect, slices.Sorted(maps.Keys(c.effects))))
			continue
		}
		c.checkOneOf(at, rules[effect], []string{"allow", "ask", "step_up", "deny"})
	}
}

// checkURL notes a URL that is invalid or that fits refuses, and reports whether the URL is right.
// The note never shows the URL, which may contain a password.
func (c *checker) checkURL(path, text, want string, fits func(*url.URL) bool) bool {
	u, err := url.Parse(text)
	switch {
	case err == nil && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(text, "?#") && fits(u):
		return true
	case strings.ContainsAny(text, "@?"):
		c.add(path, hidden, want)
	default:
		c.wrong(path, quote(text), want)
	}
	return false
}

// checkUnique notes a value that an earlier key has already. Any other value except "" is recorded
// in taken.
func (c *checker) checkUnique(path, value, shown, want string, taken map[string]string) {
	switch other := taken[value]; {
	case value == "":
	case other != "":
		c.wrong(path, shown, fmt.Sprintf(want, other))
	default:
		taken[value] = path
	}
}

// isSet reports whether a key is in the file.
func (c *checker) isSet(path string) bool {
	_, ok := c.locations[path]
	return ok
}

// wrong notes a problem of a key. The problem shows the value as written in the file; for a key
// that is in no file, it shows value.
func (c *checker) wrong(path, value, want string) { c.add(path, c.displayValue(path, value), want) }

// displayValue returns the value of a key as a problem shows it: as written in the file. For a key
// that is in no file, it returns value.
func (c *checker) displayValue(path, value string) string {
	if at, ok := c.locations[path]; ok {
		value = at.text
	}
	if value == `""` {
		value = gotNothing
	}
	return value
}

// add notes a problem, unless the key or one around it already has a problem.
func (c *checker) add(path, value, want string) {
	c.note(Problem{Field: path, Value: value, Want: want})
}

// note adds a problem and its line, unless the key or one around it already has a problem.
func (c *checker) note(problem Problem) {
	for p := problem.Field; p != ""; p = parentPath(p) {
		if c.hasProblem[p] {
			return
		}
	}
	problem.Line = c.lineOf(problem.Field)
	c.problems = append(c.problems, problem)
}

// lineOf returns the line of a key, or of the nearest key around it that is in the file.
func (c *checker) lineOf(path string) int {
	for p := path; p != ""; p = parentPath(p) {
		if at, ok := c.locations[p]; ok {
			return at.line
		}
	}
	return 0
}
