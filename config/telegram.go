package config

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// tokenShape is the bot's id and 35 characters today; Telegram promises neither length.
	tokenShape = regexp.MustCompile(`^[0-9]{1,19}:[A-Za-z0-9_-]{20,128}$`)
	// secretShape is what setWebhook takes, 1 to 256 characters; fewer than 16 could be guessed.
	secretShape = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`)
	// telegramPorts are those that Telegram's own servers call.
	telegramPorts = []string{"", "443", "80", "88", "8443"}
)

const (
	wantToken    = "a bot's token as @BotFather gives it: digits, a colon and about 35 letters, digits, _ and -"
	wantSecret   = "16 to 256 of A-Z, a-z, 0-9, _ and -, such as `openssl rand -hex 32` makes: it tells Telegram from others"
	wantAPI      = "a URL: https://api.telegram.org, or that of a Bot API server of your own, which may be http"
	wantWebhook  = "an https URL that leads to this machine, with the path " + TelegramPath + ": https://bot.example.org" + TelegramPath
	wantPort     = "port 443, 80, 88 or 8443: Telegram calls no other"
	wantListen   = "an address of this machine and a port, such as 127.0.0.1:8322"
	wantTelegram = "a person's numeric id on Telegram, such as 123456789: @userinfobot on Telegram tells you yours"
	wantSomebody = "the numeric Telegram id of at least one user, because there is a token: `telegram: 123456789`; " +
		"@userinfobot on Telegram tells you yours"
)

// telegramChecker looks at what is about Telegram.
type telegramChecker struct{ *checker }

func (c telegramChecker) checkTelegram() {
	t := c.cfg.Telegram
	c.checkURL("telegram.api_url", t.APIURL, wantAPI, botAPI)
	within(c.checker, "telegram.rate.chat", t.Rate.Chat, 1, 30)
	within(c.checker, "telegram.rate.group", t.Rate.Group, 1, 600)
	within(c.checker, "telegram.rate.all", t.Rate.All, 1, 1000) // what Telegram sells at most
	c.checkWebhook(t.Webhook)
	if c.given("telegram.token", t.Token) {
		c.checkSecret("telegram.token", t.Token, tokenShape, wantToken)
	} else if t.Webhook.URL != "" {
		c.wrong("telegram.token", "nothing", "the bot's token, because telegram.webhook is there")
	}
	if t.Token.Reveal() != "" && !c.anybodyOnTelegram() {
		c.add("users", "nobody with a telegram id", wantSomebody)
	}
}

// botAPI says whether a Bot API may be at u. The token is part of every call's path: over http it goes to a server of
// one's own, and to nobody else's.
func botAPI(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && host != "telegram.org" && !strings.HasSuffix(host, ".telegram.org")
}

func (c telegramChecker) checkWebhook(w Webhook) {
	if w.URL == "" {
		for _, field := range []string{"telegram.webhook", "telegram.webhook.url"} {
			if _, stands := c.places[field]; stands {
				c.add("telegram.webhook.url", "nothing", wantWebhook)
				break
			}
		}
		return
	}
	if c.checkURL("telegram.webhook.url", w.URL, wantWebhook, calledByTelegram) && c.cfg.Telegram.APIURL == telegramURL {
		c.checkURL("telegram.webhook.url", w.URL, wantPort, atTelegramPort)
	}
	c.checkSecret("telegram.webhook.secret", w.Secret, secretShape, wantSecret)
	if c.cfg.Webhooks.Listen == "" {
		c.wrong("webhooks.listen", "nothing", wantListen+", where telegram.webhook.url leads")
	}
}

// calledByTelegram says whether u can be a webhook's. Over http it is this machine's, which a Bot API server on it calls.
func calledByTelegram(u *url.URL) bool {
	return u.EscapedPath() == TelegramPath && (u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
}

func atTelegramPort(u *url.URL) bool { return slices.Contains(telegramPorts, u.Port()) }

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (c telegramChecker) checkWebhooks() {
	listen := c.cfg.Webhooks.Listen
	if _, stands := c.places["webhooks.listen"]; !stands && listen == "" {
		return
	}
	host, port, err := net.SplitHostPort(listen)
	if _, notIP := netip.ParseAddr(host); err != nil || notIP != nil && host != "localhost" || !validPort(port) {
		c.wrong("webhooks.listen", quote(listen), wantListen)
	}
}

func validPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// given says whether a secret or its *_file key stands somewhere, be it empty.
func (c telegramChecker) given(field string, secret Secret) bool {
	_, own := c.places[field]
	_, file := c.places[field+"_file"]
	return own || file || secret.Reveal() != ""
}

// anybodyOnTelegram says whether somebody has an id, or was meant to have one.
func (c telegramChecker) anybodyOnTelegram() bool {
	for i, u := range c.cfg.Users {
		if _, stands := c.places[userField(i)+".telegram"]; stands || u.Telegram != 0 {
			return true
		}
	}
	return false
}

// validTelegram says whether id can be a person's: Telegram promises at most 52 bits, and groups are below 0.
func validTelegram(id int64) bool { return id > 0 && id < 1<<52 }

func (c telegramChecker) checkTelegramID(field string, id int64, taken map[string]string) {
	if _, stands := c.places[field]; !stands && id == 0 {
		return
	}
	if !validTelegram(id) {
		c.wrong(field, strconv.FormatInt(id, 10), wantTelegram)
		return
	}
	c.checkUnique(field, strconv.FormatInt(id, 10), taken)
}
