// Package event reads what GitHub sends to a webhook, of which the service needs little: the fields
// that a table names. It reads the JSON as it comes, in bounded memory, and by no types of
// GitHub's: a payload may have other shapes than its documentation.
package event

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/supervisor"
)

// MaxPayload is how long a payload may be, in bytes. GitHub sends none that is longer.
// (docs.github.com: webhook events and payloads)
const MaxPayload = 25 << 20

// MaxEvent is how long an event is at most, as JSON.
const MaxEvent = 8 << 10

// maxElements is how many elements of a list are looked into. No more are wanted of any.
const maxElements = 50

// Read makes an event of a payload, by GitHub's name of it. It says why the event is of no use
// here; "" where it is.
func Read(name string, payload io.Reader) (e supervisor.GitHubEvent, ignored string, err error) {
	r := reader{scanner{bufio.NewReaderSize(payload, 16<<10)}, &draft{}}
	r.draft.Event = clip(name, maxName)
	table := tables[name]
	if table == nil {
		table = tables["ping"] // what is in every payload
	}
	first, err := r.token()
	if err == nil {
		err = r.value(first, table)
	}
	if err == nil {
		err = r.end()
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
	scanner
	draft *draft
}

// value reads the value that begins with b. A nil node is a value of which nothing is wanted.
func (r reader) value(b byte, n *node) (err error) {
	var text string
	switch {
	case n == nil:
		return r.skip(b)
	case b == '{' || b == '[':
		n.put(r.draft, "")
		return r.inner(b, n)
	case b == '"':
		text, err = r.quoted(maxString)
	default:
		text, err = r.word(b)
	}
	if err == nil && (b == '"' || text != "null") {
		n.put(r.draft, text)
	}
	return err
}

// inner reads an object or a list whose bracket has come.
func (r reader) inner(bracket byte, n *node) error {
	closing := bracket + 2 // of both, in ASCII
	b, err := r.token()
	for i := 0; err == nil && b != closing; i++ {
		key := elements
		if bracket == '{' {
			if key, b, err = r.key(b); err != nil {
				return err
			}
		}
		below := n.nodes[key]
		if below != nil && bracket == '[' && i >= maxElements {
			below.put(r.draft, "") // it is counted
			below = nil
		}
		if err = r.value(b, below); err == nil {
			b, err = r.next(closing)
		}
	}
	return err
}

// key is a key that begins with b, and how its value begins.
func (r reader) key(b byte) (key string, first byte, err error) {
	if b != '"' {
		return "", 0, errSyntax
	}
	if key, err = r.quoted(maxString); err == nil {
		b, err = r.token()
	}
	if err == nil && b != ':' {
		err = errSyntax
	}
	if err != nil {
		return "", 0, err
	}
	first, err = r.token()
	return key, first, err
}

// next is how what follows a value begins: closing, or what stands behind a comma.
func (r reader) next(closing byte) (byte, error) {
	b, err := r.token()
	switch {
	case err != nil || b == closing:
		return b, err
	case b != ',':
		return 0, errSyntax
	}
	if b, err = r.token(); err == nil && b == closing {
		err = errSyntax
	}
	return b, err
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
