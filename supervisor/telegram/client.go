package telegram

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/slots"
)

// callTimeout is the default limit of a call. (Telegram gives up on a slow answer earlier.)
const callTimeout = 30 * time.Second

// Options configure a Client.
type Options struct {
	Token string
	// APIURL is the API's root, for example of your own Bot API server; "" means the public API.
	APIURL    string
	Log       hclog.Logger      // receives log lines; nil means no log
	Transport http.RoundTripper // makes every request; nil means the client's own connections
	// Open opens a file to send, by its SHA-256 in hexadecimal, and returns the file's size in
	// bytes. The client closes the file. One send may open it several times. nil means that files
	// can't be sent.
	Open func(sha256 string) (io.ReadCloser, int64, error)
	// Files is the absolute path of the folder in which your own Bot API server, started with
	// --local, stores received files. No file outside the folder is read. "" means that the server
	// returns files over HTTP.
	Files string
}

// Client calls the Bot API as one bot. It is safe for concurrent use. No error of its methods
// contains the token.
type Client struct {
	id   int64
	root string // URL of the API's root
	// returns a method's URL, which contains the token; it is a function, so that a printed Client
	// shows no token
	endpoint func(method string) string
	fileURL  func(path string) string // returns the URL of an escaped path, with the token
	redact   func(text string) string
	setToken func(token, secret string)
	// connections for polls, so that a poll that waits 50 s never delays a send
	polls   http.RoundTripper
	sends   http.RoundTripper
	fetches http.RoundTripper // connections for downloads
	// the library's typed methods, which make their calls through this client
	bot      *gotgbot.Bot
	identity *identity
	open     func(sha256 string) (io.ReadCloser, int64, error)
	files    string // value of Options.Files
	log      hclog.Logger
	clock    clock
	answered chan struct{} // holds a signal if a call other than a poll was answered
}

// tokenShape matches a token of @BotFather: the bot's id and a secret. The token needs no escapes
// in a URL.
var tokenShape = regexp.MustCompile(`^([1-9][0-9]{0,18}):([A-Za-z0-9_-]{3,})$`)

// tokenInPath matches the token in the path of an API call, which the API's root does not have.
var tokenInPath = regexp.MustCompile(`/bot[0-9]+:`)

// New creates a client. It makes no request.
func New(o Options) (*Client, error) {
	parts := tokenShape.FindStringSubmatch(o.Token)
	if parts == nil {
		return nil, errors.New("read the Telegram token: it is not of the form 123456789:AAbbCC, as @BotFather gives it")
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	// The error of ParseInt would show the part before the colon. That part is the secret if the
	// token was pasted in the wrong order.
	if err != nil {
		return nil, errors.New("read the Telegram token: the number before its colon is too large for a bot's id")
	}
	root, err := apiRoot(o.APIURL)
	if err != nil {
		return nil, err
	}
	token := new(atomic.Pointer[string])
	token.Store(&o.Token)
	secrets := new(atomic.Pointer[[]string])
	secrets.Store(&[]string{parts[2]})
	c := &Client{
		id: id, root: root, open: o.Open, files: o.Files, log: loggerOr(o.Log),
		fileURL:  func(path string) string { return root + "/file/bot" + *token.Load() + "/" + path },
		endpoint: func(method string) string { return root + "/bot" + *token.Load() + "/" + method },
		redact: func(text string) string {
			for _, secret := range *secrets.Load() {
				text = strings.ReplaceAll(text, secret, "***")
			}
			return text
		},
		setToken: func(next, secret string) {
			if *token.Load() == next {
				return
			}
			all := append([]string{secret}, *secrets.Load()...)
			secrets.Store(&all)
			token.Store(&next)
		},
		polls: o.Transport, sends: o.Transport, fetches: o.Transport, answered: make(chan struct{}, 1),
	}
	if o.Transport == nil {
		c.polls, c.sends, c.fetches = newTransport(1), newTransport(8), newTransport(4)
	}
	if c.open == nil {
		c.open = func(string) (io.ReadCloser, int64, error) {
			return nil, 0, errors.New("there is no place that files are in")
		}
	}
	c.bot = &gotgbot.Bot{BotClient: gotgbotClient{c}}
	c.identity = &identity{id: id, bot: c.bot, asking: slots.New(1)}
	return c, nil
}

// SetToken changes the bot's token for later calls. A token of another bot changes nothing. Only
// one goroutine may call it at a time.
func (c *Client) SetToken(token string) {
	parts := tokenShape.FindStringSubmatch(token)
	if parts != nil && parts[1] == strconv.FormatInt(c.id, 10) {
		c.setToken(token, parts[2])
	}
}

// RefusesToken asks Telegram once whether it refuses another token of this bot. It waits for
// getMeTimeout. An error without a refusal means that Telegram gave no answer.
func (c *Client) RefusesToken(ctx context.Context, token string) (yes bool, err error) {
	other, err := New(Options{Token: token, APIURL: c.root, Transport: c.sends})
	if err != nil {
		return true, err
	}
	ctx, cancel := context.WithTimeout(ctx, getMeTimeout)
	defer cancel()
	_, err = other.GetMe(ctx)
	return refused(http.StatusUnauthorized, http.StatusNotFound)(err), err
}

func loggerOr(log hclog.Logger) hclog.Logger { return cmp.Or(log, hclog.NewNullLogger()) }

// apiRoot returns the URL with which the API's paths begin, without a slash at its end. Its errors
// do not show the given URL, because the URL of a whole API call contains the token.
func apiRoot(given string) (string, error) {
	if given == "" {
		return gotgbot.DefaultAPIURL, nil
	}
	u, err := url.Parse(given)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return "", errors.New("read the Bot API's URL: it is not an http or https URL with a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || tokenInPath.MatchString(u.Path):
		return "", errors.New("read the Bot API's URL: only the API's root is wanted, such as https://api.telegram.org")
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// BotID returns the bot's own id, which is a part of the bot's token.
func (c *Client) BotID() int64 { return c.id }

// UpdateSourceName returns the name of the source of update ids. The name is
// "telegram/<API root>/<bot id>". Each server numbers a bot's updates independently.
func (c *Client) UpdateSourceName() string {
	return "telegram/" + c.root + "/" + strconv.FormatInt(c.id, 10)
}

// Close closes idle connections. Running calls end with their contexts.
func (c *Client) Close() {
	dropIdle(c.polls)
	dropIdle(c.sends)
	dropIdle(c.fetches)
}
