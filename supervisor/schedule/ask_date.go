package schedule

import (
	"context"
	"fmt"
	"strconv"

	"mews/supervisor"
	"mews/supervisor/problem"
	"mews/supervisor/recurrence"
	"mews/supervisor/slash"
)

// Names of the buttons below a question about a date that can mean two days. The id of the command
// follows.
const (
	pressDayFirst   = "day_first"
	pressMonthFirst = "month_first"
)

// dateOrders maps each button of an ambiguous date to the order that it chooses.
var dateOrders = map[string]recurrence.DateOrder{pressDayFirst: recurrence.DayFirst,
	pressMonthFirst: recurrence.MonthFirst}

// askDate asks which day a date such as 3/4 means. Nothing is set before the user presses a button,
// or writes the command again.
func askDate(from origin, ask *recurrence.DateError, err error) (d supervisor.Delivery) {
	d.Text = fmt.Sprintf(textWhichDate, problem.UserText(err))
	for i, press := range []string{pressDayFirst, pressMonthFirst} {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: ask.Days[i],
			Press: fmt.Sprintf("%s%s %d", supervisor.JobPressPrefix, press, from.inbound)}})
	}
	return d
}

// remindAgain runs a /remind again, with a known order of dates. If both buttons are pressed, there
// is still one reminder.
func (ch *ChatCommands) remindAgain(ctx context.Context, from origin, number string, p press) (supervisor.Delivery,
	error) {
	id, _ := strconv.ParseInt(number, 10, 64) // an invalid number gives 0, which no command has
	in, found, err := ch.command(ctx, from.user.Name, id)
	if err != nil {
		return supervisor.Delivery{}, err
	}
	words := slash.ParseArguments(in.Text)
	if !found || in.Command != commandRemind || words == "" { // the command was forgotten
		return supervisor.Delivery{Text: textNothing}, nil
	}
	from.inbound = id
	return ch.remind(ctx, from, words, p.at)
}
