package files

import (
	"context"
	"fmt"
	"time"

	"mews/protocol"
	"mews/worker"
)

var timeSpec = worker.ToolSpec{
	Name:        "get_time",
	Effect:      protocol.EffectNone,
	Description: "The date, weekday and time now, where the person is or in a timezone.",
	Arguments: []worker.Argument{
		{Name: "timezone", Type: worker.StringArgument, Description: "such as Europe/Madrid"},
	},
}

type timeArgs struct {
	Timezone string `json:"timezone"`
}

func (t *fileTools) time(_ context.Context, _ worker.Call, args timeArgs) (worker.Result, error) {
	zone := t.zone
	if args.Timezone != "" {
		var err error
		if zone, err = time.LoadLocation(args.Timezone); err != nil {
			return worker.Result{}, fmt.Errorf("tell the time in %q: this timezone is not known here; "+
				"names are like Europe/Madrid or America/New_York", args.Timezone)
		}
	}
	now := t.now().In(zone)
	short, _ := now.Zone()
	name := zone.String()
	if name == "Local" || name == short {
		name = ""
	} else {
		name += " "
	}
	return worker.Result{
		Text:  fmt.Sprintf("%s, %s, %s(%s)", now.Format(time.RFC3339), now.Weekday(), name, short),
		Brief: now.Format("15:04"),
	}, nil
}
