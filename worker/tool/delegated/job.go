package delegated

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// The families of tools about jobs.
const (
	jobFamily   = "tasks"
	filesFamily = "notifications"
)

// Descriptions of arguments. The supervisor reads their values.
const (
	whenText = "in 20 min; tomorrow at 9; weekdays 8:30; every 2 h until friday; first monday of the month at 10; " +
		"RFC 3339; cron; " +
		"RRULE"
	optionsText = "on_miss run|skip|ask, grace 2h, priority low|high, overlap skip|queue, exact, model, " +
		"workspace, steps, minutes, " +
		"to private|group number"
	checkText = "files: glob or command: exit 0; ask: question, task: do text, auto_remove, notify_on_check"
)

var (
	scheduleSpec = worker.Spec{
		Name: "schedule_task", Family: jobFamily,
		Description: "Set a reminder, which says text then, or a task: you do what text says.",
		Effect:      protocol.EffectIdempotent, // a repeated call changes nothing more
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
		Name: "enable_file_notifications", Family: filesFamily, Description: "Tell the person what others change " +
			"in their folder.",
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
		Description: "End this task. say is what the person gets; empty: nothing. met: whether what you looked " +
			"for is so.",
		Arguments: []worker.Argument{
			{Name: "say", Type: worker.String, Required: true},
			{Name: "met", Type: worker.Boolean},
		},
	}
)

// jobTools makes the tools for reminders and tasks, and the tool that ends a task's turn.
func jobTools(turn host.Caller, start protocol.TurnStart) []worker.Tool {
	jobs := &calls[protocol.JobCall, protocol.JobAnswer]{turn: turn, method: protocol.MethodJobCall,
		most: protocol.MaxJobCalls, done: "tasks were seen to"}
	return []worker.Tool{
		jobTool(scheduleSpec, protocol.ScheduleTaskArguments{}, jobs), jobTool(listSpec, struct{}{}, jobs),
		jobTool(updateSpec, protocol.UpdateTaskArguments{}, jobs), jobTool(cancelSpec, protocol.TaskArguments{}, jobs),
		jobTool(resultsSpec, protocol.TaskArguments{}, jobs), ending(start),
		jobTool(
			enableFilesSpec,
			struct{}{},
			jobs,
		), jobTool(disableFilesSpec, struct{}{}, jobs), jobTool(statusFilesSpec, struct{}{}, jobs),
	}
}

// jobTool makes a tool whose calls the supervisor carries out.
func jobTool[A any](spec worker.Spec, none A, jobs *calls[protocol.JobCall, protocol.JobAnswer]) worker.Tool {
	return worker.Define(spec, none, func(ctx context.Context, call worker.Call, _ A) (worker.Result, error) {
		a, err := jobs.answer(ctx, protocol.JobCall{Call: call.ID})
		return worker.Result{Text: a.Text, Brief: a.Brief, World: a.World}, err
	})
}

// ending makes the tool that ends the turn of a job with its result.
func ending(start protocol.TurnStart) worker.Tool {
	return worker.Define(
		endSpec,
		protocol.JobResultArguments{},
		func(context.Context, worker.Call, protocol.JobResultArguments) (r worker.Result, err error) {
			if start.Kind != "job" {
				return r, errors.New("this is no task: answer in words")
			}
			return worker.Result{Text: "ended", EndsTurn: true}, nil
		},
	)
}
