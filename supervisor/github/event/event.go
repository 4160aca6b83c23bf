// Package event reads what GitHub sends to a webhook, of which the service needs little: the fields that a table names. It reads the
// JSON as it comes, in bounded memory, and by no types of GitHub's: a payload may have other shapes than its documentation.
package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/supervisor"
)

// MaxPayload is how long a payload may be, in bytes. GitHub sends none that is longer. (docs.github.com: webhook events and payloads)
const MaxPayload = 25 << 20

// MaxEvent is how long an event is at most, as JSON.
const MaxEvent = 8 << 10

// maxDepth is far deeper than any payload is.
const maxDepth = 64

// Read makes an event of a payload, by GitHub's name of it. It says why the event is of no use here; "" where it is.
func Read(name string, payload io.Reader) (e supervisor.GitHubEvent, ignored string, err error) {
	r := reader{json.NewDecoder(&clipper{from: payload}), &draft{}}
	r.decoder.UseNumber()
	r.draft.Event = clip(name, maxName)
	err = r.value(tables[name], 0)
	if _, more := r.decoder.Token(); err == nil && more != io.EOF {
		err = errors.New("something follows the payload")
	}
	if err == nil && r.draft.Repo == "" && r.draft.ignored() == "" {
		err = errors.New("it names no repository")
	}
	if err != nil {
		return e, "", fmt.Errorf("read the payload of %s: %w", r.draft.Event, err)
	}
	return r.draft.event(), r.draft.ignored(), nil
}

// reader walks through a payload along with the table of what is wanted of it.
type reader struct {
	decoder *json.Decoder
	draft   *draft
}

var errTooDeep = errors.New("too deep")

// value reads the next value. A nil node is a value of which nothing is wanted.
func (r reader) value(n *node, depth int) error {
	token, err := r.decoder.Token()
	if err != nil {
		return err
	}
	bracket, inner := token.(json.Delim)
	switch {
	case depth > maxDepth:
		return errTooDeep
	case inner:
		n.put(r.draft, "")
		return r.inner(bracket, n, depth)
	case token != nil: // null is nothing
		n.put(r.draft, fmt.Sprint(token))
	}
	return nil
}

// inner reads an object or a list whose bracket has come.
func (r reader) inner(bracket json.Delim, n *node, depth int) error {
	for r.decoder.More() {
		key := elements
		if bracket == '{' {
			token, err := r.decoder.Token()
			if err != nil {
				return err
			}
			key, _ = token.(string) // the decoder takes nothing else there
		}
		if err := r.value(n.below(key), depth+1); err != nil {
			return err
		}
	}
	_, err := r.decoder.Token()
	return err
}

// ignored is why an event is of no use here.
func (d *draft) ignored() string {
	actions, known := actions[d.Event]
	switch {
	case d.Event == "ping":
		return textPing
	case !known:
		return fmt.Sprintf(textEvent, d.Event)
	case actions != "" && !strings.Contains(" "+actions+" ", " "+d.Action+" "):
		return fmt.Sprintf(textAction, d.Event, clip(d.Action, maxName))
	case d.own:
		return textOwn
	case d.SenderBot && !byApps[d.Event]:
		return textBot
	}
	return ""
}
