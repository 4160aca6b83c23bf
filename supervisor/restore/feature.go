package restore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
)

// pressPrefix begins the presses of the buttons below the messages about a restore.
const pressPrefix = "restored:"

// pressMonth is the press of an admin who lets the month's budget count again.
const pressMonth = "month"

// Feature lets admins see the last restore, and use the budget of the month again.
type Feature struct {
	Settings sqlite.Settings
	Audit    func(user, action, detail string)
	Zone     func(user string) *time.Location
}

// Feature returns the command.
func (f Feature) Feature() feature.Feature {
	return feature.Feature{Name: "restore", Commands: []feature.Command{{
		SlashCommand: supervisor.SlashCommand{Name: "restored",
			Help: "show when a backup was restored, and use the budget again", AdminsOnly: true},
		Group: feature.HelpGroupAdmin, Run: f.show, Prefix: pressPrefix,
		Press: feature.TextCommand(f.useMonth)}}}
}

// show says when the service was restored, and whether the month still counts as spent.
func (f Feature) show(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	at, was, err := f.Settings.Find(ctx, "", sqlite.SettingRestoredAt)
	if err != nil || !was {
		d.Text = textNeverBefore
		return d, err
	}
	ms, _ := strconv.ParseInt(at, 10, 64) // Complete has written it
	d.Text = fmt.Sprintf(textRestoredAt, time.UnixMilli(ms).In(f.Zone(r.User.Name)).Format("2006-01-02 15:04"))
	if _, unknown, err := f.Settings.Find(ctx, "", sqlite.SettingMonthUnknown); err != nil || !unknown {
		return d, err
	}
	d.Text += textAdminHead
	d.Buttons = [][]supervisor.Button{{{Text: textAdminMonth, Press: pressPrefix + pressMonth}}}
	return d, nil
}

// useMonth lets the budget of the month count from what the backup knows.
func (f Feature) useMonth(ctx context.Context, r feature.CommandRequest) (string, error) {
	_, unknown, err := f.Settings.Find(ctx, "", sqlite.SettingMonthUnknown)
	if err != nil || !unknown || r.Arguments != pressMonth {
		return textMonthWas, err
	}
	if err := f.Settings.Delete(ctx, "", sqlite.SettingMonthUnknown); err != nil {
		return "", err
	}
	f.Audit(r.User.Name, "budget.month_known", "after a restore")
	return textMonthOn, nil
}
