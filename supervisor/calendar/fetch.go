package calendar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/internal/redact"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

const (
	keepCopyFor = time.Hour       // how long a copy is used without asking the server
	retryAfter  = 5 * time.Minute // the pause after a fetch that failed
	maxHeader   = 500             // bytes of a header that is kept; a longer one is not used
	accept      = "text/calendar, text/plain;q=0.5, */*;q=0.1"
)

// source is a calendar that others write.
type source struct {
	name, host string
	digest     string // digest of the address
	configured bool   // an admin has configured it
	address    egress.Address
	upstream   *egress.Upstream // nil means the public web
	broken     string           // why the address can't be used; "" means that it can
}

// sources returns the calendars of a user by name. A subscription hides a configured calendar with
// its name.
func (c *Calendar) sources(ctx context.Context, user string) (all []source, err error) {
	list, err := c.o.Subscriptions.List(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, sub := range list {
		s := source{name: sub.Name, host: sub.Host, digest: sub.Digest}
		plain, err := c.o.Seal.Open(user, sub.Secret)
		if err == nil {
			s.address, err = egress.ParseAddress(string(plain))
		}
		if err != nil {
			s.broken = textNotOpened
		}
		all = append(all, s)
	}
	for _, s := range c.configuredFor(user) {
		if !slices.ContainsFunc(all, func(own source) bool { return own.name == s.name }) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// Subscribed returns the subscribed calendars of a user. It fetches those that were kept for too
// long. turn is the turn that needs them; 0 means none.
func (c *Calendar) Subscribed(ctx context.Context, user string, turn int64) ([]protocol.SubscribedCalendar, error) {
	all, err := c.sources(ctx, user)
	if err != nil {
		return nil, err
	}
	list, errs := make([]protocol.SubscribedCalendar, len(all)), make([]error, len(all))
	var running sync.WaitGroup
	for i, s := range all {
		running.Go(func() {
			var kept sqlite.CalendarCopy
			if kept, errs[i] = c.refresh(ctx, user, turn, s); errs[i] == nil {
				list[i] = protocol.SubscribedCalendar{Name: s.name, Note: c.noteText(s.name, kept)}
				if kept.Body.SHA256 != "" {
					list[i].Body = &kept.Body
				}
			}
		})
	}
	running.Wait()
	return list, errors.Join(errs...)
}

// findCopy returns the last copy of a calendar. A copy whose bytes are gone is none.
func (c *Calendar) findCopy(ctx context.Context, user string, s source) (sqlite.CalendarCopy, error) {
	kept, ok, err := c.o.Subscriptions.FindCopy(ctx, user, s.name)
	if !ok || kept.Digest != s.digest {
		kept = sqlite.CalendarCopy{User: user, Name: s.name, Digest: s.digest}
	}
	if kept.Body.SHA256 != "" {
		body, _, gone := c.o.Spool.OpenBlob(kept.Body.SHA256)
		if gone != nil {
			return sqlite.CalendarCopy{User: user, Name: s.name, Digest: s.digest}, err
		}
		err = errors.Join(err, body.Close())
	}
	if s.broken != "" {
		kept.Failure = s.broken
	}
	return kept, err
}

// refresh returns the last copy of a calendar. If that was kept for too long, it asks the server. A
// fetch that fails leaves the copy, and says why in Failure.
func (c *Calendar) refresh(ctx context.Context, user string, turn int64, s source) (sqlite.CalendarCopy, error) {
	kept, err := c.findCopy(ctx, user, s)
	now := c.o.Now()
	fresh := !kept.FetchedAt.After(now) && now.Sub(kept.FetchedAt) < keepCopyFor
	waits := kept.Failure != "" && !kept.TriedAt.After(now) && now.Sub(kept.TriedAt) < retryAfter
	if err != nil || s.broken != "" || fresh && kept.Failure == "" || waits {
		return kept, err
	}
	next, err := c.fetch(ctx, user, turn, s, kept)
	if err != nil {
		if ctx.Err() != nil {
			return kept, context.Cause(ctx)
		}
		next = kept
		next.Failure = failureText(err)
	}
	next.TriedAt = now
	if err := c.o.Subscriptions.KeepCopy(ctx, next); err != nil {
		return kept, err
	}
	return next, nil
}

// fetch asks the server for a calendar that is newer than a copy.
func (c *Calendar) fetch(ctx context.Context, user string, turn int64, s source, kept sqlite.CalendarCopy) (
	next sqlite.CalendarCopy, err error) {
	if s.upstream != nil {
		ctx = egress.WithUpstream(ctx, s.upstream)
	}
	header := http.Header{}
	if kept.Body.SHA256 != "" && kept.Tag != "" {
		header.Set("If-None-Match", kept.Tag)
	}
	if kept.Body.SHA256 != "" && kept.Modified != "" {
		header.Set("If-Modified-Since", kept.Modified)
	}
	answer, err := c.o.Client.Fetch(ctx, egress.Request{User: user, Turn: turn, Address: s.address, Accept: accept,
		Header: header})
	if err != nil {
		return next, err
	}
	defer answer.Body.Close() // the answer was only read, so an error of Close loses nothing
	next = kept
	next.Failure, next.FetchedAt = "", c.o.Now()
	if answer.Status == http.StatusNotModified && kept.Body.SHA256 != "" {
		return next, nil
	}
	if answer.Status != http.StatusOK {
		return next, statusError(answer.Status)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return next, err
	}
	if body = redactorOf(s.address).Bytes(body); !isCalendar(body) {
		return next, errNoCalendar
	}
	next.Tag, next.Modified = shortHeader(answer.Header, "ETag"), shortHeader(answer.Header, "Last-Modified")
	next.Body, err = c.keepBody(ctx, user, kept, body)
	return next, err
}

// redactorOf returns the redactor that takes an address out of a server's words.
func redactorOf(a egress.Address) redact.Redactor {
	u, err := url.Parse(a.Reveal())
	if err != nil || u.RequestURI() == "/" {
		return redact.Redactor{}
	}
	return redact.New(u.Host + u.RequestURI())
}

func shortHeader(h http.Header, name string) string {
	if value := h.Get(name); len(value) <= maxHeader {
		return value
	}
	return ""
}

// isCalendar reports whether bytes begin as iCalendar does.
func isCalendar(body []byte) bool {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	const begin = "BEGIN:VCALENDAR"
	return len(body) >= len(begin) && strings.EqualFold(string(body[:len(begin)]), begin)
}

// keepBody stores the bytes of a copy in the spool. They count in the user's room there, but the
// copy that they replace does not.
func (c *Calendar) keepBody(ctx context.Context, user string, kept sqlite.CalendarCopy, body []byte) (
	protocol.BlobRef, error) {
	used, err := c.o.Blobs.SumTurnBytes(ctx, user, c.o.Now().Add(-spool.Retention))
	if err != nil {
		return protocol.BlobRef{}, err
	}
	if used-kept.Body.Size+int64(len(body)) > spool.MaxTurnBytes {
		return protocol.BlobRef{}, errNoRoom
	}
	return c.o.Spool.StoreBytes("a calendar of "+user, body)
}

// statusError is an answer with a status that means failure.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("HTTP status %d", int(s)) }

var (
	errNoCalendar = errors.New("no calendar")
	errNoRoom     = errors.New("no room")
)

// failureText says why a fetch failed, without any part of the address.
func failureText(err error) string {
	var status statusError
	if errors.As(err, &status) {
		switch {
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			return textRefusesUs
		case status == http.StatusNotFound || status == http.StatusGone:
			return textAddressGone
		case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
			return textServerBusy
		}
		return fmt.Sprintf(textOtherStatus, int(status))
	}
	failed := new(egress.Failure)
	if errors.As(err, &failed) {
		if text := fetchFailures[failed.Kind]; text != "" {
			return text
		}
	}
	switch {
	case errors.Is(err, errNoCalendar):
		return textIsNoCalendar
	case errors.Is(err, errNoRoom), errors.Is(err, spool.ErrFull):
		return textNoRoom
	}
	return textCouldNotKeep
}

// noteText tells that a copy is old or missing; "" means that it is fresh.
func (c *Calendar) noteText(name string, kept sqlite.CalendarCopy) string {
	switch {
	case kept.Failure == "":
		return ""
	case kept.Body.SHA256 == "":
		return fmt.Sprintf(textNoCopy, name, kept.Failure)
	}
	return fmt.Sprintf(textOldCopy, name, kept.Failure, c.ageText(kept))
}

// ageText returns how old a copy is, in words.
func (c *Calendar) ageText(kept sqlite.CalendarCopy) string {
	return amount.FormatDuration(max(c.o.Now().Sub(kept.FetchedAt), time.Minute).Truncate(time.Minute))
}

// stateText tells how a copy is, for the list of subscribed calendars.
func (c *Calendar) stateText(kept sqlite.CalendarCopy) string {
	switch {
	case kept.Failure != "":
		return fmt.Sprintf(textStateFailed, kept.Failure)
	case kept.Body.SHA256 == "":
		return textStateNew
	}
	return fmt.Sprintf(textStateFetched, c.ageText(kept))
}

// Configured is a calendar that an admin has configured.
type Configured struct {
	Name, URL, CAFile string
	Users             []string // names of the users who see it; empty means all
}

// configuration has the configured calendars that are in force.
type configuration struct {
	Configured
	source source
}

// SetCalendars replaces the configured calendars. The error names those that can't be used.
func (c *Calendar) SetCalendars(list []Configured) error {
	var errs []error
	all := []configuration{}
	for _, one := range list {
		address := withHTTPS(one.URL)
		s := source{name: one.Name, configured: true, digest: digestOf(address)}
		var err error
		s.upstream, err = c.o.Client.NewUpstream(egress.UpstreamOptions{Name: fmt.Sprintf(textCalendar, one.Name),
			BaseURL: address, CAFile: one.CAFile})
		if err == nil {
			s.address, err = s.upstream.Address(address)
		}
		if err != nil {
			s.broken = textConfiguredBroken
			errs = append(errs, configurationError(one.Name, err))
		}
		all = append(all, configuration{one, s})
	}
	c.configured.Store(&all)
	return errors.Join(errs...)
}

// configurationError returns an error for admins without the address.
func configurationError(name string, err error) error {
	if known := new(supervisor.Error); errors.As(err, &known) {
		return fmt.Errorf("calendars.%s.url: %s", name, known.Message)
	}
	return fmt.Errorf("calendars.%s: %w", name, err)
}

// configuredFor returns the configured calendars that a user sees.
func (c *Calendar) configuredFor(user string) (list []source) {
	all := c.configured.Load()
	if all == nil {
		return nil
	}
	for _, one := range *all {
		if len(one.Users) == 0 || slices.Contains(one.Users, user) {
			list = append(list, one.source)
		}
	}
	return list
}

// isConfigured reports whether a user sees a configured calendar of a name.
func (c *Calendar) isConfigured(user, name string) bool {
	return slices.ContainsFunc(c.configuredFor(user), func(s source) bool { return s.name == name })
}
