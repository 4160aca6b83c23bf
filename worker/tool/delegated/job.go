package delegated

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// The families of tools about jobs.
const (
	jobFamily   = "tasks"
	filesFamily = "notifications"
)

// What a model is told of arguments in words that the supervisor reads.
const (
	whenText = "in 20 min; tomorrow at 9; weekdays 8:30; every 2 h until friday; first monday of the month at 10; RFC 3339; cron; " +
		"RRULE"
	optionsText = "on_miss run|skip|ask, grace 2h, priority low|high, overlap skip|queue, exact, model, workspace, steps, minutes, " +
		"to private|group number"
	checkText = "files: glob or command: exit 0; ask: question, task: do text, auto_remove, notify_on_check"
)

var (
	scheduleSpec = worker.Spec{
		Name: "schedule_task", Family: jobFamily,
		Description: "Set a reminder, which says text then, or a task: you do what text says.",
		Effect:      protocol.EffectIdempotent, // for the same call
		Arguments: []worker.Argument{
			{Name: "when", Type: worker.String, Description: whenText, Required: true},
			{Name: "text", Type: worker.String, Required: true},
			{Name: "kind", Values: []string{"reminder", "task", "check"}},
			{Name: "name", Type: worker.String},
			{Name: "options", Type: worker.Object, Description: optionsText},
			{Name: "check", Type: worker.Object, Description: checkText},
		},
	}
	listSpec = worker.Spec{
		Name: "list_tasks", Family: jobFamily, Description: "Their reminders and tasks", Effect: protocol.EffectNone,
	}
	updateSpec = worker.Spec{
		Name: "update_task", Family: jobFamily, Description: "Change a reminder or task.", Effect: protocol.EffectIdempotent,
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.Integer, Description: "its number", Required: true},
			{Name: "when", Type: worker.String},
			{Name: "text", Type: worker.String},
			{Name: "name", Type: worker.String},
			{Name: "state", Values: []string{"active", "paused"}},
			{Name: "options", Type: worker.Object},
		},
	}
	cancelSpec = worker.Spec{
		Name: "cancel_task", Family: jobFamily, Description: "Delete a reminder or task.", Effect: protocol.EffectIdempotent,
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.Integer, Description: "its number", Required: true},
		},
	}
	resultsSpec = worker.Spec{
		Name: "get_task_results", Family: jobFamily, Description: "What came of tasks, newest first", Effect: protocol.EffectNone,
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.Integer, Description: "its number"},
		},
	}
	enableFilesSpec = worker.Spec{
		Name: "enable_file_notifications", Family: filesFamily, Description: "Tell the person what others change in their folder.",
		Effect: protocol.EffectIdempotent,
	}
	disableFilesSpec = worker.Spec{
		Name: "disable_file_notifications", Family: filesFamily, Description: "Tell that no more.", Effect: protocol.EffectIdempotent,
	}
	statusFilesSpec = worker.Spec{
		Name: "get_file_notification_status", Family: filesFamily, Description: "Whether it is told", Effect: protocol.EffectNone,
	}
	endSpec = worker.Spec{
		Name: "job_result", Family: "job", Effect: protocol.EffectIdempotent,
		Description: "End this task. say is what the person gets; empty: nothing. met: whether what you looked for is so.",
		Arguments: []worker.Argument{
			{Name: "say", Type: worker.String, Required: true},
			{Name: "met", Type: worker.Boolean},
		},
	}
)

// jobTools see to what is due at times, and end the turn of a job.
func jobTools(turn host.Caller, start protocol.TurnStart) []worker.Tool {
	calls := new(atomic.Int64)
	return []worker.Tool{
		jobTool(scheduleSpec, protocol.ScheduleTask{}, turn, calls), jobTool(listSpec, struct{}{}, turn, calls), jobTool(updateSpec, protocol.UpdateTask{}, turn, calls),
		jobTool(cancelSpec, protocol.TaskID{}, turn, calls), jobTool(resultsSpec, protocol.TaskID{}, turn, calls), ending(start),
		jobTool(enableFilesSpec, struct{}{}, turn, calls), jobTool(disableFilesSpec, struct{}{}, turn, calls), jobTool(statusFilesSpec, struct{}{}, turn, calls),
	}
}

// jobTool has the supervisor do what its calls say.
func jobTool[A any](spec worker.Spec, none A, turn host.Caller, calls *atomic.Int64) worker.Tool {
	return worker.Define(spec, none, func(ctx context.Context, call worker.Call, _ A) (r worker.Result, err error) {
		// the supervisor would end this worker for one more
		if calls.Add(1) > protocol.MaxJobCalls {
			return r, fmt.Errorf("tasks were seen to %d times in this turn, and no more can be", protocol.MaxJobCalls)
		}
		a, err := host.Call[protocol.JobAnswer](ctx, turn, protocol.MethodJobCall, protocol.JobCall{Call: call.ID})
		// else it may wait for its person
		if refused := new(protocol.Error); errors.As(err, &refused) && refused.Code == protocol.CodeFailed {
			err = errors.New(refused.Message)
		}
		return worker.Result{Text: a.Text, Brief: a.Brief, World: a.World}, err
	})
}

// ending ends the turn of a job with what it comes to.
func ending(start protocol.TurnStart) worker.Tool {
	return worker.Define(endSpec, protocol.JobResult{}, func(context.Context, worker.Call, protocol.JobResult) (r worker.Result, err error) {
		if start.Kind != "job" {
			return r, errors.New("this is no task: answer in words")
		}
		return worker.Result{Text: "ended", EndsTurn: true}, nil
	})
}
