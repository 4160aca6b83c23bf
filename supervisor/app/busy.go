package app

import (
	"context"
	"strings"

	"mews/config"
	"mews/supervisor"
)

// setBusy is the setting of what becomes of what somebody sends while their turn runs.
const setBusy = "busy"

// busyPreference is its row.
var busyPreference = preference{
	name: setBusy, example: string(supervisor.BusyQueue), check: checkBusy,
	presses: []string{string(supervisor.BusySteer), string(supervisor.BusyQueue), string(supervisor.BusyRestart)},
	note: "What you send while I answer: with steer I take it in before my next step, with queue I answer it afterwards, with " +
		"restart I stop and begin an answer to all of it. It holds from your next message on.",
	lay: func(*supervisor.User, string) {},
}

func checkBusy(_ supervisor.User, value string) (string, error) {
	value = strings.ToLower(value)
	if _, known := busyModes[value]; !known {
		return "", invalid("It is steer, and what you send while I answer is taken in on the way, queue, and it is answered next, "+
			"or restart, and the answer begins anew. %q is none of them.", value)
	}
	return value, nil
}

// busyModes are the words of the configuration and of people, and what they mean.
var busyModes = map[string]supervisor.Busy{
	config.BusySteer:   supervisor.BusySteer,
	config.BusyQueue:   supervisor.BusyQueue,
	config.BusyRestart: supervisor.BusyRestart,
}

// whenBusy is what somebody wants with what they send while their turn runs: as they have set it, else as the configuration
// has it. Where the database can't say, it is the latter; none of them loses anything.
func (p preferences) whenBusy(ctx context.Context, user string) supervisor.Busy {
	if chosen, own, err := p.settings.Get(ctx, user, setBusy); err == nil && own {
		if mode, known := busyModes[chosen]; known {
			return mode
		}
	}
	return busyModes[p.config().Chat.Busy]
}
