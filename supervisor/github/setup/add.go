package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/api"
)

// WebhookAddressError means that the repository's webhook calls Mews at another address.
type WebhookAddressError struct{ Address string }

func (e *WebhookAddressError) Error() string { return fmt.Sprintf("the webhook calls %s", e.Address) }

// AddWebhook creates a repository's webhook with an address, unless there is one. GitHub then tests
// the webhook. made reports whether the webhook is new. With the address "", any existing webhook
// of Mews is enough. The error is an *WebhookAddressError if the webhook has another address. Other
// errors are for users.
func (s Setup) AddWebhook(ctx context.Context, repo, address string) (made bool, err error) {
	list, err := s.callingMews(ctx, repo)
	switch {
	case err != nil && !errors.Is(err, errNoHook):
		if address != "" {
			err = cmp.Or(s.checkAddress(address), err)
		}
		return false, err
	case err == nil && (address == "" || hookWithAddress(list, address) >= 0):
		return false, nil
	}
	if err := s.checkAddress(address); err != nil {
		return false, err
	}
	if len(list) > 0 {
		return false, &WebhookAddressError{Address: list[0].URL}
	}
	_, err = s.Client.CreateWebhook(ctx, repo, address, s.Secret, s.Events)
	return err == nil, err
}

// ChangeWebhook changes the address of a repository's webhook from one address to another. The
// error is an *WebhookAddressError if the webhook no longer has the address from, because somebody
// else has changed it. Other errors are for users.
func (s Setup) ChangeWebhook(ctx context.Context, repo, from, to string) error {
	if err := s.checkAddress(to); err != nil {
		return err
	}
	list, err := s.callingMews(ctx, repo)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(h api.Webhook) bool { return h.URL == from })
	if i < 0 {
		return &WebhookAddressError{Address: list[0].URL}
	}
	events := append(slices.Clone(list[i].Events), s.missing(list[i])...)
	return s.Client.ChangeWebhook(ctx, repo, list[i].ID, to, s.Secret, events)
}

// checkAddress returns an error for users if GitHub can't call Mews at an address.
func (s Setup) checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || !strings.HasSuffix(u.Path, s.Path) {
		return supervisor.Errorf(supervisor.CodeInvalid, textNoAddress, address, s.Path)
	}
	return nil
}

// callingMews returns the repository's webhooks for Mews. The error is errNoHook if there are none.
func (s Setup) callingMews(ctx context.Context, repo string) ([]api.Webhook, error) {
	list, err := s.Client.Webhooks(ctx, repo)
	list = slices.DeleteFunc(list, func(h api.Webhook) bool { return !s.callsMews(h) })
	switch {
	case len(list) > 0:
		return list, nil
	case err != nil:
		return nil, err
	}
	return nil, errNoHook
}

// hookWithAddress returns the index of the webhook with an address; -1 if there is none.
func hookWithAddress(list []api.Webhook, address string) int {
	return slices.IndexFunc(list, func(h api.Webhook) bool { return sameAddress(h.URL, address) })
}

// defaultPorts are the ports of addresses without a port, by scheme.
var defaultPorts = map[string]string{"https": "443", "http": "80"}

// sameAddress reports whether two addresses mean the same. It ignores upper and lower case, default
// ports, and slashes at the end.
func sameAddress(a, b string) bool {
	plain := func(text string) string {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil {
			return text
		}
		u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.TrimSuffix(strings.ToLower(u.Hostname()),
			".")+":"+u.Port()
		u.Host = strings.TrimSuffix(strings.TrimSuffix(u.Host, defaultPorts[u.Scheme]), ":")
		u.Path, u.RawPath, u.Fragment = strings.TrimRight(u.Path, "/"), "", ""
		return u.String()
	}
	return plain(a) == plain(b)
}
