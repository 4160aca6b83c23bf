package config

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// tokenShape allows for longer tokens: today they are the bot's id and 35 characters, but
	// Telegram promises no length.
	tokenShape = regexp.MustCompile(`^[0-9]{1,19}:[A-Za-z0-9_-]{20,128}$`)
	// secretShape is what setWebhook accepts, 1 to 256 characters, but at least 16, because shorter
	// ones could be guessed.
	secretShape = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`)
	// telegramPorts are the ports that Telegram's servers call.
	telegramPorts = []string{"", "443", "80", "88", "8443"}
)

// telegramURL is Telegram's own Bot API.
const telegramURL = "https://api.telegram.org"

func (c *checker) checkToken(path string, token Secret) {
	switch {
	case c.isSet(path) || c.isSet(path+"_file") || token.Reveal() != "":
		c.checkSecret(path, token, tokenShape, wantToken)
	case c.cfg.Telegram.Webhook.URL != "":
		c.wrong(path, gotNothing, wantTokenForWebhook)
	}
}

// checkSecret notes a missing or malformed secret, at the key that it comes from. A nil shape
// allows any text.
func (c *checker) checkSecret(path string, secret Secret, shape *regexp.Regexp, want string) {
	if c.isSet(path + "_file") {
		path += "_file"
	}
	switch text := secret.Reveal(); {
	case text == "":
		c.add(path, gotNothing, want)
	case shape != nil && !shape.MatchString(text):
		c.wrong(path, hidden, want)
	}
}

func (c *checker) checkBotAPI(path, text string) { c.checkURL(path, text, wantAPI, isBotAPI) }

// isBotAPI reports whether a Bot API may be at u. The path of each call contains the token, so http
// is refused for Telegram's own servers.
func isBotAPI(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && host != "telegram.org" && !strings.HasSuffix(host, ".telegram.org")
}

// checkBotFiles notes a folder of the Bot API server that workers can see. The folder has the files
// of all users, and its paths contain the token.
func (c *checker) checkBotFiles(path, folder string) {
	switch {
	case folder == "" && !c.isSet(path):
	case !filepath.IsAbs(folder) || folder == "/":
		c.wrong(path, quote(folder), wantBotFiles)
	case c.cfg.Telegram.APIURL == telegramURL:
		c.wrong("telegram.api_url", quote(telegramURL), wantOwnAPI)
	default:
		c.protected = append(c.protected, protectedPath{folder, path})
	}
}

func (c *checker) checkWebhook(path string, w TelegramWebhook) {
	if w.URL == "" {
		if c.isSet(path) {
			c.add(path+".url", gotNothing, wantWebhook)
		}
		return
	}
	if c.checkURL(path+".url", w.URL, wantWebhook, isTelegramWebhook) && c.cfg.Telegram.APIURL == telegramURL {
		c.checkURL(path+".url", w.URL, wantPort, atTelegramPort)
	}
	c.checkSecret(path+".secret", w.Secret, secretShape, wantSecret)
	if c.cfg.Webhooks.Listen == "" {
		c.wrong("webhooks.listen", gotNothing, wantListenForWebhook)
	}
}

// isTelegramWebhook reports whether u can be a webhook's URL. An http URL must be on this machine,
// for a local Bot API server.
func isTelegramWebhook(u *url.URL) bool {
	return u.EscapedPath() == TelegramWebhookPath && (u.Scheme == "https" || u.Scheme == "http" &&
		loopback(u.Hostname()))
}

func atTelegramPort(u *url.URL) bool { return slices.Contains(telegramPorts, u.Port()) }

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (c *checker) checkListen(path, listen string) {
	if listen == "" && !c.isSet(path) {
		return
	}
	host, port, err := net.SplitHostPort(listen)
	_, notIP := netip.ParseAddr(host)
	number, notPort := strconv.ParseUint(port, 10, 16)
	if err != nil || notIP != nil && host != "localhost" || notPort != nil || number == 0 {
		c.wrong(path, quote(listen), wantListen)
	}
}

// maxTelegramID is above every id: Telegram promises at most 52 bits.
const maxTelegramID = 1 << 52

// isTelegramID reports whether an id can belong to a user. A group's id is negative.
func isTelegramID(id int64) bool { return id > 0 && id < maxTelegramID }

func (c *checker) checkGroups(path string, ids []int64) {
	taken := map[string]string{}
	for i, id := range ids {
		at, shown := elementPath(path, i), strconv.FormatInt(id, 10)
		if !isTelegramID(-id) {
			c.wrong(at, shown, wantGroup)
			continue
		}
		c.checkUnique(at, shown, shown, wantAnotherGroup, taken)
	}
}
