package api

import (
	"cmp"
	"fmt"
	"strings"

	"mews/supervisor"
)

// UserModel returns the model that answers a user.
func (r StatusReporter) UserModel(u supervisor.User) string {
	return cmp.Or(u.Model, r.Models.DefaultModel())
}

// WelcomeText returns the lines of /start about this service.
func (r StatusReporter) WelcomeText(c supervisor.Conversation) string {
	u, _ := r.People.Find(c.User)
	if c.IsInGroup() {
		return fmt.Sprintf(textWelcomeInGroup, r.UserModel(u))
	}
	return fmt.Sprintf(textWelcome, r.UserModel(u))
}

// SetupHints returns the next steps for a service without a configuration.
func (r StatusReporter) SetupHints() string {
	var b strings.Builder
	b.WriteString(textReady)
	for _, u := range r.People.Names() {
		person, _ := r.People.Find(u)
		fmt.Fprintf(&b, "  folder  %s\n", person.Home)
	}
	fmt.Fprintf(&b, "  model   %s\n  walls   %s\n", r.Models.DefaultModel(), r.Sandbox().Summary())
	if r.Channel != nil {
		fmt.Fprintf(&b, "  also    on Telegram, for the ids of the configuration; `mews status` tells how that goes\n")
	}
	b.WriteByte('\n')
	b.WriteString(textReadyChat)
	if r.Channel == nil {
		b.WriteString(textReadyTelegram)
	}
	b.WriteString(textReadyMore)
	return b.String()
}
