package api

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/markdown"
	"mews/supervisor/model"
)

// UserModel returns the model that answers a user. If the user's own choice can't be read, it is
// the model of the configuration.
func (r StatusReporter) UserModel(ctx context.Context, u supervisor.User) string {
	if spec, _, err := r.Chosen(ctx, u.Name); err == nil && spec != "" {
		return spec
	}
	return cmp.Or(u.Model, r.Models.DefaultModel())
}

// WelcomeText returns the answer to /start. It says who the user is here, what the assistant can
// do, and who can see what. In a group it is one line about this service.
func (r StatusReporter) WelcomeText(ctx context.Context, c supervisor.Conversation) string {
	u, _ := r.People.Find(c.User)
	w := welcome{user: u, model: r.UserModel(ctx, u), via: carrier(c)}
	if c.IsInGroup() {
		return fmt.Sprintf(textWelcomeInGroup, markdown.EscapeName(w.model))
	}
	w.reader = r.Models.RequestExposure(w.model)
	for _, admin := range r.People.Admins() {
		if admin.Name != u.Name {
			w.admins = append(w.admins, markdown.EscapeName(admin.Name))
		}
	}
	return w.text()
}

// welcome has the facts of an answer to /start.
type welcome struct {
	user   supervisor.User
	model  string
	reader model.RequestExposure
	admins []string // quoted names of the other admins
	via    string   // name of the service that carries the chat's messages; "" means this machine
}

// carrier returns the name of the service that carries a chat's messages; "" if it is this machine.
func carrier(c supervisor.Conversation) string {
	if !c.Channel.Capabilities().NeedsAccount {
		return ""
	}
	return history.ChannelName(supervisor.SentMessageInfo{Conversation: c})
}

func (w welcome) text() string {
	isAdmin := w.user.Role == supervisor.RoleAdmin
	text := fmt.Sprintf(textsWelcome[isAdmin], markdown.EscapeName(w.user.Name)) + textWelcomeCan + textWelcomeSees +
		fmt.Sprintf(textsReader[w.reader], markdown.EscapeName(w.model))
	admins := strings.Join(w.admins, ", ")
	switch {
	case isAdmin && admins == "":
		text += textSeenByAdminAlone
	case isAdmin:
		text += fmt.Sprintf(textSeenByAdminsToo, admins)
	default:
		text += fmt.Sprintf(textSeenByAdmins, admins)
	}
	if w.via != "" {
		text += fmt.Sprintf(textSeenByCarrier, w.via)
	}
	return text + textSeenByOthers
}

// SetupHints returns the next steps for a service without a configuration.
func (r StatusReporter) SetupHints() string {
	var b strings.Builder
	b.WriteString(textsReady[r.Channel == nil])
	for _, u := range r.People.Names() {
		person, _ := r.People.Find(u)
		fmt.Fprintf(&b, "  folder  %s\n", person.Home)
	}
	fmt.Fprintf(&b, "  model   %s\n  walls   %s\n", r.Models.DefaultModel(), r.Sandbox().Summary())
	if r.Channel != nil {
		b.WriteString(textReadyAlso)
	}
	b.WriteByte('\n')
	b.WriteString(textReadyChat)
	if r.Channel == nil {
		b.WriteString(textReadyTelegram)
	}
	b.WriteString(textReadyMore)
	return b.String()
}
