package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/api"
	"mews/supervisor/app"
	"mews/supervisor/control"
	"mews/supervisor/telegram"
	"mews/supervisor/unit"
)

func examineModels(ctx context.Context, o Options) (string, error) {
	found := []string{"default " + o.Config.Models.Default}
	for name, p := range o.Config.Models.Providers {
		u, err := url.Parse(p.BaseURL)
		if err != nil {
			return "", fmt.Errorf("provider %s: %w", name, err)
		}
		if err := dial(ctx, u); err != nil {
			return "", fmt.Errorf(textProviderSilent, name, u.Host, err)
		}
		found = append(found, name+" answers at "+u.Host)
	}
	return strings.Join(found, "; "), nil
}

// dial opens a connection and closes it. Success means that a server listens, but does not mean
// that the server accepts the key.
func dial(ctx context.Context, u *url.URL) error {
	port := cmp.Or(u.Port(), u.Scheme) // package net knows the port numbers of http and https
	dialer := net.Dialer{Timeout: 3 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// ValidateTelegramFiles returns an error if the Bot API server's files can't be read here.
func ValidateTelegramFiles(cfg *config.Config) error {
	dir := cfg.Telegram.Files
	if dir == "" {
		return nil
	}
	if err := unix.Access(dir+"/.", unix.R_OK|unix.X_OK); err != nil {
		return fmt.Errorf(textTelegramFiles, dir, err)
	}
	return nil
}

// examineTelegram asks Telegram for the bot's name. It does not poll, because the service must get
// the waiting updates.
func examineTelegram(ctx context.Context, o Options) (string, error) {
	t := o.Config.Telegram
	if t.Token.Reveal() == "" {
		if o.Path != "" {
			return fmt.Sprintf(textNoTelegramFile, o.Path), nil
		}
		return textNoTelegram, nil
	}
	if err := ValidateTelegramFiles(o.Config); err != nil {
		return "", err
	}
	client, err := telegram.New(telegram.Options{Token: t.Token.Reveal(), APIURL: t.APIURL})
	if err != nil {
		return "", err
	}
	defer client.Close()
	bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	bot, err := client.GetMe(bounded)
	if err != nil {
		return "", fmt.Errorf(textTelegramSilent, t.APIURL, err)
	}
	people := 0
	for _, u := range o.Config.Users {
		if u.Telegram != 0 {
			people++
		}
	}
	way := textPolling
	if t.Webhook.URL != "" {
		way = fmt.Sprintf(textWebhook, t.Webhook.URL)
	}
	return fmt.Sprintf("@%s, %s, for %s", bot.Username, way, amount.Plural(people, "person", "people")), nil
}

func examineService(ctx context.Context, o Options) (string, error) {
	status, err := serviceStatus(ctx, o.Config)
	if errors.As(err, new(*control.NotRunningError)) {
		return notRunning(o)
	}
	if err != nil {
		return "", err
	}
	if status.Version != o.Version {
		return "", fmt.Errorf(textOtherService, status.Version, o.Version,
			unit.ServiceCommand("restart", o.Config.State, "restart it"))
	}
	for _, c := range status.Channels {
		if c.Error != "" {
			return "", fmt.Errorf(textChannelFails, c.Name, c.Error, c.Since.Format("15:04"))
		}
	}
	for _, u := range status.Users {
		if u.Refused != "" {
			return "", fmt.Errorf(textCannotStart, u.Name, u.Refused)
		}
	}
	return fmt.Sprintf(textRunning, status.PID, amount.Plural(status.Waiting.Parked, "message", "messages")), nil
}

// notRunning describes a stopped service. If there is a configuration or a unit, a stopped service
// is a fault.
func notRunning(o Options) (string, error) {
	finding := fmt.Sprintf(textNotRunning, control.ServiceStartCommand(app.SocketPath(o.Config)))
	if _, installed := unit.FindService(o.Config.State); installed || o.Path != "" {
		return "", errors.New(finding)
	}
	return finding, nil
}

// serviceStatus returns the status of the running service. Without a service it returns an error.
func serviceStatus(ctx context.Context, cfg *config.Config) (status api.Status, err error) {
	err = control.CallOnce(ctx, app.SocketPath(cfg), api.MethodStatus, nil, &status)
	return status, err
}
