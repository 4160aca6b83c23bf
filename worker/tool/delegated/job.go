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
	checkText = "files: glob, command: exit 0 or url: page, contains: words; ask: question, " +
		"task: do text, auto_remove, notify_on_check"
)

var (
	scheduleSpec = worker.ToolSpec{
		Name: "schedule_task", Family: jobFamily,
		Description: "Set a reminder, which says text then, or a task: you do what text says.",
		Effect:      protocol.EffectIdempotent, // a repeated call changes nothing more
		Arguments: []worker.Argument{
			{Name: "when", Type: worker.StringArgument, Description: whenText, Required: true},
			{Name: "text", Type: worker.StringArgument, Required: true},
			{Name: "kind", Values: []string{"reminder", "task", "check"}},
			{Name: "name", Type: worker.StringArgument},
			{Name: "options", Type: worker.ObjectArgument, Description: optionsText},
			{Name: "check", Type: worker.ObjectArgument, Description: checkText},
		},
	}
	listSpec = worker.ToolSpec{
		Name: "list_tasks", Family: jobFamily, Description: "Their reminders and tasks", Effect: protocol.EffectNone,
	}
	updateSpec = worker.ToolSpec{
		Name: "update_task", Family: jobFamily, Description: "Change a reminder or task.", Effect: protocol.EffectIdempotent,
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.IntegerArgument, Description: "its number", Required: true},
			{Name: "when", Type: worker.StringArgument},
			{Name: "text", Type: worker.StringArgument},
			{Name: "name", Type: worker.StringArgument},
			{Name: "state", Values: []string{"active", "paused"}},
			{Name: "options", Type: worker.ObjectArgument},
		},
	}
	cancelSpec = worker.ToolSpec{
		Name: "cancel_task", Family: jobFamily, Description: "Delete a reminder or task.", Effect: protocol.EffectIdempotent,
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.IntegerArgument, Description: "its number", Required: true},
		},
	}
	resultsSpec = worker.ToolSpec{
		Name: "get_task_results", Family: jobFamily, Description: "What came of tasks, newest first", Effect: protocol.EffectNone,
		Arguments: []worker.Argument{
			{Name: "id", Type: worker.IntegerArgument, Description: "its number"},
		},
	}
	enableFilesSpec = worker.ToolSpec{
		Name: "enable_file_notifications", Family: filesFamily, Description: "Tell the person what others change " +
			"in their folder.",
		Effect: protocol.EffectIdempotent,
	}
	disableFilesSpec = worker.ToolSpec{
		Name: "disable_file_notifications", Family: filesFamily, Description: "Tell that no more.", Effect: protocol.EffectIdempotent,
	}
	statusFilesSpec = worker.ToolSpec{
		Name: "get_file_notification_status", Family: filesFamily, Description: "Whether it is told", Effect: protocol.EffectNone,
	}
	endSpec = worker.ToolSpec{
		Name: "job_result", Family: "job", Effect: protocol.EffectIdempotent,
		Description: "End this task. say is what the person gets; empty: nothing. met: whether what you looked " +
			"for is so.",
		Arguments: []worker.Argument{
			{Name: "say", Type: worker.StringArgument, Required: true},
			{Name: "met", Type: worker.BooleanArgument},
		},
	}
)

// jobTools makes the tools for reminders and tasks, and the tool that ends a task's turn.
func jobTools(turn host.Caller, start protocol.TurnStart) []worker.Tool {
	jobs := &calls[protocol.JobCallParams, protocol.JobCallResult]{turn: turn, method: protocol.MethodJobCall,
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
func jobTool[A any](spec worker.ToolSpec, none A, jobs *calls[protocol.JobCallParams,
	protocol.JobCallResult]) worker.Tool {
	return worker.DefineTool(spec, none, func(ctx context.Context, call worker.Call, _ A) (worker.Result, error) {
		a, err := jobs.answer(ctx, protocol.JobCallParams{Call: call.ID})
		return worker.Result{Text: a.Text, Brief: a.Brief, World: a.World}, err
	})
}

// ending makes the tool that ends the turn of a job with its result.
func ending(start protocol.TurnStart) worker.Tool {
	return worker.DefineTool(
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
