package calendar

import (
	"context"

	"mews/protocol"
	"mews/supervisor/external"
	"mews/supervisor/feature"
	"mews/supervisor/taint"
)

// subscribedTools are the tools whose workers read the subscribed calendars.
var subscribedTools = []string{"calendar_add", "calendar_list", "calendar_upcoming", "calendar_update"}

func (c *Calendar) hostCalls() []feature.HostCall {
	return []feature.HostCall{{Method: protocol.MethodCalendarSubscribed, Kinds: feature.OwnWorkerTurnKinds(),
		Bytes: feature.MaxShortParamsBytes, Limit: protocol.MaxCalendarCalls,
		HostCallHandler: feature.NewHostCallHandler(c.answerSubscribed)}}
}

// answerSubscribed gives a worker the subscribed calendars. If there is a copy of one, the result
// of the model's call has words of others.
func (c *Calendar) answerSubscribed(ctx context.Context, t feature.Turn, p *protocol.CalendarSubscribedParams) (
	*protocol.CalendarSubscribedResult, error) {
	call, err := t.FindCall(p.Call, subscribedTools...)
	if err != nil {
		return nil, err
	}
	all, err := c.sources(ctx, t.User)
	if err != nil || len(all) == 0 {
		return new(protocol.CalendarSubscribedResult), err
	}
	result, err := external.Do(ctx, c.o.Calls, external.Call{Turn: t, Call: call, Repeatable: true},
		func(ctx context.Context) (answer external.Answer[protocol.CalendarSubscribedResult], err error) {
			answer.Result.Calendars, err = c.Subscribed(ctx, t.User, t.ID)
			for _, one := range answer.Result.Calendars {
				if one.Body != nil {
					answer.Origins = append(answer.Origins, taint.PrefixCalendar+one.Name)
					answer.Blobs = append(answer.Blobs, *one.Body)
					answer.Result.World = true
				}
			}
			return answer, err
		})
	if err != nil {
		return nil, err
	}
	return &result, nil
}
