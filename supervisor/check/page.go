package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
)

// pageState is the stored state of a page at its last check.
type pageState struct {
	Tag      string `json:"tag,omitempty"`      // the server's ETag
	Modified string `json:"modified,omitempty"` // the server's Last-Modified
	Hash     string `json:"hash"`               // hash of the readable text
	Has      bool   `json:"has,omitempty"`      // the page had the text of CheckCondition.Contains
}

// maxTag bounds the headers of a server that are stored, in bytes. Longer ones are not used.
const maxTag = 500

// checkPage fetches the page of a check, and compares it with the last check. The first check only
// stores the page, unless the page has the wanted text.
func (s *Evaluator) checkPage(ctx context.Context, c supervisor.CheckFire) (r protocol.CheckResult, err error) {
	at := c.Job.Options.Check
	address, err := egress.ParseAddress(at.URL)
	if err != nil {
		return r, err
	}
	var was pageState
	if c.Seen != "" {
		if err := json.Unmarshal([]byte(c.Seen), &was); err != nil {
			return r, fmt.Errorf("read the last state of a page: %w", err)
		}
	}
	page, now, err := s.fetchPage(ctx, c.Job.User, address, was)
	if err != nil || page == nil {
		return protocol.CheckResult{Seen: c.Seen}, err
	}
	page.Contains = at.Contains
	read, err := s.o.Check(ctx, c.Job.User, protocol.CheckParameters{Page: page})
	if err != nil {
		return r, err
	}
	now.Hash, now.Has = read.Seen, read.Met
	r.Changed = now.Hash != was.Hash
	r.Met = r.Changed && c.Seen != ""
	if at.Contains != "" {
		r.Met = now.Has && !was.Has
	}
	r.Found = printable.DropControls(at.URL)
	if at.Ask != "" || at.Task || r.Met && at.Contains != "" {
		r.Found += "\n" + read.Found
	}
	seen, err := json.Marshal(now)
	r.Seen = string(seen)
	return r, err
}

// fetchPage fetches a page. It returns nil if the server says that the page has not changed.
func (s *Evaluator) fetchPage(ctx context.Context, user string, address egress.Address, was pageState) (
	page *protocol.CheckPage, now pageState, err error) {
	header := http.Header{}
	if was.Tag != "" {
		header.Set("If-None-Match", was.Tag)
	}
	if was.Modified != "" {
		header.Set("If-Modified-Since", was.Modified)
	}
	answer, err := s.o.Fetch(ctx, egress.Request{User: user, Address: address, Header: header,
		Accept: "text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.5"})
	if err != nil {
		return nil, now, orLater(err)
	}
	defer answer.Body.Close() // the answer was only read, so an error of Close loses nothing
	tag, modified := answer.Header.Get("ETag"), answer.Header.Get("Last-Modified")
	switch status := answer.Status; {
	case status == http.StatusNotModified && was.Hash != "", status == http.StatusOK && tag != "" && tag == was.Tag:
		return nil, was, nil
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		err := supervisor.Errorf(supervisor.CodeUnavailable, textPageStatus, address.Host(), status)
		return nil, now, fmt.Errorf("%w: %w", supervisor.ErrCheckAgain, err)
	case status < http.StatusOK || status >= http.StatusMultipleChoices:
		return nil, now, supervisor.Errorf(supervisor.CodeUnavailable, textPageStatus, address.Host(), status)
	}
	if len(tag) <= maxTag && len(modified) <= maxTag {
		now.Tag, now.Modified = tag, modified
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, protocol.MaxCheckPageBytes))
	if err != nil {
		return nil, now, orLater(err)
	}
	media, parameters, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	return &protocol.CheckPage{Address: answer.Address.Reveal(), MediaType: media, Charset: parameters["charset"],
		Body: body}, now, nil
}

// orLater marks an error of a fetch as temporary if another try may help.
func orLater(err error) error {
	failed := new(egress.Failure)
	if errors.As(err, &failed) {
		switch failed.Kind {
		case egress.KindUnreachable, egress.KindTimeout, egress.KindLimit:
			return fmt.Errorf("%w: %w", supervisor.ErrCheckAgain, err)
		}
	}
	return err
}

// validatePage returns an error for people if a condition's page can't be checked.
func validatePage(l supervisor.CheckCondition) error {
	switch {
	case l.URL == "" && l.Contains == "":
		return nil
	case l.URL == "":
		return supervisor.Errorf(supervisor.CodeInvalid, "%s", textContainsNoURL)
	case len(l.Contains) > protocol.MaxCheckContainsBytes || strings.ContainsRune(l.Contains, 0):
		return supervisor.Errorf(supervisor.CodeInvalid, textContainsLong, protocol.MaxCheckContainsBytes)
	}
	_, err := egress.ParseAddress(l.URL)
	return err
}

// describePage describes the page of a condition for people.
func describePage(l supervisor.CheckCondition) string {
	url := markdown.EscapeSentence(printable.DropControls(l.URL))
	if l.Contains != "" {
		return fmt.Sprintf(textTestsContains, url, markdown.EscapeSentence(printable.DropControls(l.Contains)))
	}
	return fmt.Sprintf(textTestsPage, url)
}
