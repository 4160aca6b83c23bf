package alarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Remote sends alarms to a URL of ntfy, Healthchecks or Slack, or of a server with the same API. Its
// errors never show the URL, because whoever knows it may often send too.
type Remote struct {
	url    *url.URL
	client *http.Client
}

// NewRemote returns the sender to a URL. It makes no request.
func NewRemote(text string) (*Remote, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("read the URL for alarms: it is no URL")
	}
	client := &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 10 * time.Second},
		// a redirect would send the alarm to a host that nobody configured
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Remote{u, client}, nil
}

// kind is a kind of server that takes alarms.
type kind struct {
	name string
	fits func(u *url.URL) bool
	send func(u url.URL, m Message) (to url.URL, headers map[string]string, body string)
}

// kinds is the table of servers. The first one that fits counts; ntfy takes any other URL.
var kinds = []kind{
	{"healthchecks", func(u *url.URL) bool {
		return u.Hostname() == "hc-ping.com" || strings.Contains(u.Path, "/ping/")
	}, healthchecksMessage},
	{"slack", func(u *url.URL) bool {
		return u.Hostname() == "hooks.slack.com" || strings.HasPrefix(u.Path, "/hooks/") ||
			strings.HasSuffix(u.Path, "/slack")
	}, slackMessage},
	{"ntfy", func(*url.URL) bool { return true }, ntfyMessage},
}

// DescribeURL names the kind of server and the host of a URL, without its secret parts. "" means no
// URL.
func DescribeURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || text == "" {
		return ""
	}
	return fmt.Sprintf(textTarget, kindOf(u).name, u.Host)
}

func kindOf(u *url.URL) kind {
	for _, k := range kinds {
		if k.fits(u) {
			return k
		}
	}
	return kinds[len(kinds)-1]
}

// ntfyMessage publishes to a topic of ntfy (docs.ntfy.sh/publish).
func ntfyMessage(u url.URL, m Message) (to url.URL, headers map[string]string, body string) {
	headers = map[string]string{"Title": textTitle, "Priority": "high", "Tags": "warning"}
	if m.Ended {
		headers = map[string]string{"Title": textTitleEnded, "Priority": "default", "Tags": "white_check_mark"}
	}
	return u, headers, m.Text
}

// slackMessage posts to an incoming webhook of Slack. Mattermost, Rocket.Chat and Discord take the same.
func slackMessage(u url.URL, m Message) (to url.URL, headers map[string]string, body string) {
	text, _ := json.Marshal(map[string]string{"text": slackEscapes.Replace(textTitle + ": " + m.Text)}) // never fails
	return u, map[string]string{"Content-Type": "application/json"}, string(text)
}

// slackEscapes escapes the characters that begin links and mentions at Slack.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// healthchecksMessage signals a failure or a success to a check of Healthchecks.
func healthchecksMessage(u url.URL, m Message) (to url.URL, headers map[string]string, body string) {
	if !m.Ended {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/fail"
	}
	return u, nil, m.Text
}

// Send sends an alarm, or its end.
func (r *Remote) Send(ctx context.Context, m Message) error {
	to, headers, body := kindOf(r.url).send(*r.url, m)
	return r.post(ctx, to, headers, body)
}

// Beat calls the URL as a heartbeat. The body is empty.
func (r *Remote) Beat(ctx context.Context) error { return r.post(ctx, *r.url, nil, "") }

// refusal is the answer of a server that does not take a message.
type refusal struct{ status int }

func (e *refusal) Error() string {
	return fmt.Sprintf("the server answers with status %d %s", e.status, http.StatusText(e.status))
}

// refuses reports whether a server would refuse the same message again.
func refuses(err error) bool {
	r := new(refusal)
	return errors.As(err, &r) && r.status < 500 && r.status != http.StatusTooManyRequests &&
		r.status != http.StatusRequestTimeout
}

func (r *Remote) post(ctx context.Context, to url.URL, headers map[string]string, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), strings.NewReader(body))
	if err != nil {
		return errors.New("make the request: the URL can't be used")
	}
	for key, value := range headers {
		req.Header.Set(key, value)
	}
	resp, err := r.client.Do(req)
	if failed := new(url.Error); errors.As(err, &failed) {
		return fmt.Errorf("call %s: %w", to.Hostname(), failed.Err) // the whole error shows the URL
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close() // the body was only read, so its error does not matter
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode >= 300 {
		return fmt.Errorf("call %s: %w", to.Hostname(), &refusal{resp.StatusCode})
	}
	return nil
}
