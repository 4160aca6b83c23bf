// Package event reads the payloads of GitHub's webhooks. It keeps only fields that are in a table.
// It reads JSON as a stream, in little memory. It does not use GitHub's types, because payloads
// differ from their documentation.
package event

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/supervisor"
)

// MaxPayloadBytes is the maximum size of GitHub's payloads in bytes. (docs.github.com: webhook
// events and payloads)
const MaxPayloadBytes = 25 << 20

// MaxEventBytes is the maximum size of an event's JSON in bytes.
const MaxEventBytes = 8 << 10

// maxElements is the maximum number of elements that are read from a list in a payload. No field
// needs more elements.
const maxElements = 50

// Parser reads the payloads of GitHub's webhooks.
type Parser struct {
	// IsSecurityReport reports whether an issue's uncut texts look like a security report; nil
	// means never.
	IsSecurityReport func(title, text string) bool
	// Self returns Mews's login on GitHub; "" if unknown. A nil Self means unknown.
	Self func() string
}

// Parse reads the payload of an event with GitHub's name. The text ignored is the reason why Mews
// does not need the event; "" means that Mews needs it.
func (p Parser) Parse(name string, payload io.Reader) (e supervisor.GitHubEvent, ignored string, err error) {
	r := reader{scanner{bufio.NewReaderSize(payload, 16<<10)}, &draft{}}
	r.draft.Event = clip(name, maxName)
	table := tables[name]
	if table == nil {
		table = tables["ping"] // an unknown event has only the fields of every payload
	}
	first, err := r.token()
	if err == nil {
		err = r.value(first, table)
	}
	if err == nil {
		err = r.end()
	}
	// everybody can write the mark of Mews's comments, so the event's sender counts too
	if p.Self != nil && p.Self() != "" && !strings.EqualFold(p.Self(), r.draft.Sender) {
		r.draft.own = false
	}
	if err == nil && r.draft.Repo == "" && r.draft.ignored() == "" {
		err = errors.New("it names no repository")
	}
	if err != nil {
		return e, "", fmt.Errorf("read the payload of %s: %w", r.draft.Event, err)
	}
	e = r.draft.event()
	e.Security = p.IsSecurityReport != nil && e.Number > 0 && !e.IsPull && r.draft.ignored() == "" &&
		p.IsSecurityReport(e.Title, strings.Join(r.draft.issueTexts, "\n"))
	return e, r.draft.ignored(), nil
}

// reader reads a payload along the tree of fields to keep.
type reader struct {
	scanner
	draft *draft
}

// value reads the value that begins with the byte b. If n is nil, it skips the value.
func (r reader) value(b byte, n *node) (err error) {
	var text string
	switch {
	case n == nil:
		return r.skip(b)
	case b == '{' || b == '[':
		n.put(r.draft, "")
		return r.readContainer(b, n)
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

// readContainer reads the rest of an object or a list.
func (r reader) readContainer(bracket byte, n *node) error {
	closing := bracket + 2 // in ASCII, both closing brackets come two characters after their opening brackets
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
			below.put(r.draft, "") // an empty value tells the field that the list has an element
			below = nil
		}
		if err = r.value(b, below); err == nil {
			b, err = r.nextElement(closing)
		}
	}
	return err
}

// key reads an object's key that begins with the byte b. It also returns the first byte of the
// value.
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

// nextElement reads the comma before the next element and returns the element's first byte. At the
// end it returns closing.
func (r reader) nextElement(closing byte) (byte, error) {
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

// ignored returns the reason why Mews does not need the event; "" if it needs the event.
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
