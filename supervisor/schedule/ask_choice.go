package schedule

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"mews/supervisor"
	"mews/supervisor/problem"
	"mews/supervisor/recurrence"
	"mews/supervisor/slash"
)

// Names of the buttons below a question about a time that can mean two things. The id of the
// command follows.
const (
	pressFirst  = "first"
	pressSecond = "second"
)

// choices maps each button of an ambiguous time to its index in recurrence.ChoiceError.
var choices = map[string]int{pressFirst: 0, pressSecond: 1}

// askChoice asks what a time such as 3/4 or 17h means. Nothing is set before the user presses a
// button, or writes the command again.
func askChoice(from origin, ask *recurrence.AmbiguousTimeError, err error) (d supervisor.Delivery) {
	d.Text = fmt.Sprintf(textWhichTime, problem.UserText(err))
	for i, press := range []string{pressFirst, pressSecond} {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: ask.Labels[i],
			Press: fmt.Sprintf("%s%s %d", supervisor.JobPressPrefix, press, from.inbound)}})
	}
	return d
}

// remindAgain runs a /remind again, with a known meaning of its time. It reads the time as it was
// when the user wrote it. If both buttons are pressed, there is still one reminder.
func (ch *ChatCommands) remindAgain(ctx context.Context, from origin, number string, choice int, at time.Time) (
	d supervisor.Delivery, err error) {
	id, _ := strconv.ParseInt(number, 10, 64) // an invalid number gives 0, which no command has
	in, found, err := ch.command(ctx, from.user.Name, id)
	if err != nil {
		return d, err
	}
	words := slash.ParseArguments(in.Text)
	if !found || in.Command != commandRemind || words == "" { // the command was forgotten
		return supervisor.Delivery{Text: textNothing}, nil
	}
	from.inbound = id
	from, text, err := ch.readOrder(ctx, from, words, in.ReceivedAt)
	if err != nil {
		return d, err
	}
	asked := supervisor.Job{Zone: from.user.Timezone}
	if ask := new(recurrence.AmbiguousTimeError); errors.As(setRule(&asked, from, in.ReceivedAt), &ask) {
		if from.dates = ask.Orders[choice]; from.dates == "" {
			from.when = ask.Texts[choice]
		}
	}
	return ch.addReminder(ctx, from, text, at)
}
