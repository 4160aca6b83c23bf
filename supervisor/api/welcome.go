package api

import (
	"cmp"
	"fmt"
	"strings"

	"mews/supervisor"
)

// Model returns the model that answers a user.
func (r StatusReporter) Model(u supervisor.User) string { return cmp.Or(u.Model, r.Models.Default()) }

// Welcome returns the lines of /start about this service.
func (r StatusReporter) Welcome(c supervisor.Conversation) string {
	u, _ := r.People.Find(c.User)
	if c.InGroup() {
		return fmt.Sprintf(textWelcomeInGroup, r.Model(u))
	}
	return fmt.Sprintf(textWelcome, r.Model(u))
}

// Hints returns the next steps for a service without a configuration.
func (r StatusReporter) Hints() string {
	var b strings.Builder
	b.WriteString(textReady)
	for _, u := range r.People.Names() {
		person, _ := r.People.Find(u)
		fmt.Fprintf(&b, "  folder  %s\n", person.Home)
	}
	fmt.Fprintf(&b, "  model   %s\n  walls   %s\n", r.Models.Default(), r.Sandbox().Line())
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
