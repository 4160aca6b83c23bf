package calendar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

// Words of /calendar about subscribed calendars.
const (
	wordSubscribe     = "subscribe"
	wordUnsubscribe   = "unsubscribe"
	wordSubscriptions = "subscriptions"
)

// maxSubscriptions is how many calendars a user may subscribe to.
const maxSubscriptions = 10

// validName matches the name of a subscribed calendar.
var validName = regexp.MustCompile(`^[\pL\pN](?:[\pL\pN ._-]*[\pL\pN._-])?$`)

// subscribe keeps the address of a calendar, and fetches it. A second run finds what the first has
// kept.
func (c *Calendar) subscribe(ctx context.Context, r feature.CommandRequest, rest string) (d supervisor.Delivery,
	err error) {
	user := r.Conversation.User
	list, err := c.o.Subscriptions.List(ctx, user)
	if err != nil {
		return d, err
	}
	for _, s := range list {
		if s.Inbound == r.Inbound {
			return c.tellSubscribed(ctx, user, s.Name)
		}
	}
	if !strings.HasPrefix(rest, sealedPrefix) {
		return d, c.whyHidden(ctx, r, rest)
	}
	words, err := c.openAddress(user, rest)
	if err != nil {
		return d, &supervisor.Error{Code: supervisor.CodeUnavailable, Err: err, Message: textNotOpened}
	}
	address, name, err := parseSubscription(words)
	if err != nil {
		return d, err
	}
	digest := digestOf(address.Reveal())
	for _, s := range list {
		if s.Digest == digest {
			return supervisor.Delivery{Text: fmt.Sprintf(textKnown, markdown.EscapeName(s.Name))}, nil
		}
	}
	if len(list) >= maxSubscriptions {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, maxSubscriptions)
	}
	secret, err := c.o.Seal.Seal(user, []byte(address.Reveal()))
	if err != nil {
		return d, err
	}
	one := sqlite.CalendarSubscription{User: user, Host: address.Host(), Secret: secret, Digest: digest,
		Inbound: r.Inbound}
	for n, fresh := 1, false; !fresh; n++ {
		if one.Name = numbered(name, n); c.isConfigured(user, one.Name) {
			continue
		}
		if fresh, err = c.o.Subscriptions.Put(ctx, one, subscribeText(textHidden)); err != nil {
			return d, err
		}
	}
	return c.tellSubscribed(ctx, user, one.Name)
}

// whyHidden returns why a command has no address.
func (c *Calendar) whyHidden(ctx context.Context, r feature.CommandRequest, rest string) error {
	if rest != textHidden {
		return supervisor.Errorf(supervisor.CodeInvalid, textSubscribeUsage)
	}
	in, found, err := c.o.Sent.Find(ctx, r.Conversation.User, r.Inbound)
	switch {
	case err != nil:
		return err
	case found && in.Conversation.IsInGroup():
		return supervisor.Errorf(supervisor.CodeForbidden, textOnlyPrivate)
	}
	return supervisor.Errorf(supervisor.CodeUnavailable, textNoKey)
}

// parseSubscription reads the words after the command: an address, and perhaps a name. The default
// name is the host. Its errors do not have the address.
func parseSubscription(words string) (address egress.Address, name string, err error) {
	text, name := cutWord(words)
	if address, err = parseAddress(text); err != nil {
		return address, "", err
	}
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		name = strings.TrimPrefix(address.Host(), "www.")
		name = strings.TrimRight(name[:min(len(name), maxNameBytes)], ".-")
	}
	if len(name) > maxNameBytes || !validName.MatchString(name) {
		return address, "", supervisor.Errorf(supervisor.CodeInvalid, textBadName, maxNameBytes)
	}
	return address, name, nil
}

// maxNameBytes leaves room for a number after a name.
const maxNameBytes = protocol.MaxCalendarNameBytes - 4

// parseAddress reads an address of the public web. Calendars also write theirs with webcal.
func parseAddress(text string) (egress.Address, error) { return egress.ParseAddress(withHTTPS(text)) }

// withHTTPS replaces the scheme webcal, which some calendars write instead of https.
func withHTTPS(text string) string {
	const webcal = "webcal://"
	if len(text) > len(webcal) && strings.EqualFold(text[:len(webcal)], webcal) {
		return "https://" + text[len(webcal):]
	}
	return text
}

// numbered returns a name, or from the second on a name with its number.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, n)
}

func digestOf(address string) string {
	sum := sha256.Sum256([]byte("calendar address\x00" + address))
	return hex.EncodeToString(sum[:])
}

// tellSubscribed fetches a new calendar and tells what came of it.
func (c *Calendar) tellSubscribed(ctx context.Context, user, name string) (d supervisor.Delivery, err error) {
	all, err := c.sources(ctx, user)
	if err != nil {
		return d, err
	}
	for _, s := range all {
		if s.name != name || s.configured {
			continue
		}
		copied, err := c.refresh(ctx, user, 0, s)
		if err != nil {
			return d, err
		}
		d.Text = fmt.Sprintf(textSubscribed, markdown.EscapeName(name), markdown.EscapeSentence(s.host))
		if copied.Failure != "" {
			d.Text = fmt.Sprintf(textSubscribedUnread, markdown.EscapeName(name), markdown.EscapeSentence(s.host),
				copied.Failure, markdown.EscapeSentence(name))
		}
		return d, nil
	}
	return d, errors.New("the calendar was deleted meanwhile")
}

// unsubscribe deletes a calendar's address and copy.
func (c *Calendar) unsubscribe(ctx context.Context, r feature.CommandRequest, name string) (d supervisor.Delivery,
	err error) {
	user := r.Conversation.User
	if name == "" {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textUnsubscribeUsage)
	}
	list, err := c.o.Subscriptions.List(ctx, user)
	if err != nil {
		return d, err
	}
	for _, s := range list {
		if strings.EqualFold(s.Name, name) {
			name = s.Name
		}
	}
	there, err := c.o.Subscriptions.Delete(ctx, user, name)
	switch {
	case err != nil:
		return d, err
	case there:
		return supervisor.Delivery{Text: fmt.Sprintf(textUnsubscribed, markdown.EscapeName(name))}, nil
	case c.isConfigured(user, name):
		return d, supervisor.Errorf(supervisor.CodeForbidden, textConfigured, markdown.EscapeName(name))
	}
	return d, supervisor.Errorf(supervisor.CodeNotFound, textNoSubscription, markdown.EscapeName(name))
}

// listSubscriptions lists the subscribed calendars by name and host.
func (c *Calendar) listSubscriptions(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	user := r.Conversation.User
	all, err := c.sources(ctx, user)
	if err != nil {
		return d, err
	}
	if len(all) == 0 {
		return supervisor.Delivery{Text: textNoSubscriptions}, nil
	}
	d.Text = textSubscriptions
	for _, s := range all {
		where := s.host
		if s.configured {
			where = textByAdmin
		}
		d.Text += fmt.Sprintf(textSubscription, markdown.EscapeName(s.name), markdown.EscapeSentence(where))
		kept, err := c.findCopy(ctx, user, s)
		if err != nil {
			return d, err
		}
		d.Text += c.stateText(kept)
	}
	return d, nil
}
