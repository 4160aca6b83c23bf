package protocol

// MethodJobCall asks the supervisor to carry out a call of a job tool. It takes JobCallParams and
// returns JobCallResult. It is allowed only during a turn, one at a time and at most MaxJobCalls
// times. The worker only names the call; the supervisor reads it in the transcript. A repeated call
// changes nothing more. An error tells the model in words what is impossible. If a job may speak to
// other people only with the user's permission, the error has CodeWaitsForUser until the user has
// answered.
//
//	{"turn":8,"call":"t8-1-1"}
//	{"text":"Reminder 3 is set.","brief":"reminder 3"}
const MethodJobCall = "job.call"

// MaxJobCalls bounds the calls of job tools in a turn.
const MaxJobCalls = 50

// JobCallParams names the model's call of a job tool.
type JobCallParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// JobCallResult is the result of a job tool's call.
type JobCallResult struct {
	Text  string `json:"text"`            // the tool's answer for the model
	Brief string `json:"brief,omitempty"` // a few words about the tool's answer, for the user
	World bool   `json:"world,omitempty"` // the answer may hold words that are not the user's own
}

// JobToolNames are the tools that MethodJobCall is for.
var JobToolNames = []string{"schedule_task", "list_tasks", "update_task", "cancel_task", "get_task_results",
	"enable_file_notifications", "disable_file_notifications", "get_file_notification_status"}

// ScheduleTaskArguments holds the arguments of schedule_task.
type ScheduleTaskArguments struct {
	When    string         `json:"when"`
	Text    string         `json:"text"`
	Kind    string         `json:"kind,omitempty"` // reminder (the default), task or check
	Name    string         `json:"name,omitempty"`
	Check   CheckArguments `json:"check,omitzero"`
	Options map[string]any `json:"options,omitempty"` // other settings of the task, by name
}

// CheckArguments describes a check's condition and its result; see CheckParameters.
type CheckArguments struct {
	Files         string   `json:"files,omitempty"`
	Changes       []string `json:"changes,omitempty"`
	Command       string   `json:"command,omitempty"`
	URL           string   `json:"url,omitempty"`
	Contains      string   `json:"contains,omitempty"` // text that the page at URL must have
	Ask           string   `json:"ask,omitempty"`      // question by which a model judges the result
	Task          bool     `json:"task,omitempty"`     // the text is an instruction to carry out, not a message
	AutoRemove    bool     `json:"auto_remove,omitempty"`
	NotifyOnCheck bool     `json:"notify_on_check,omitempty"`
}

// UpdateTaskArguments holds the arguments of update_task. A field that is "" stays unchanged.
type UpdateTaskArguments struct {
	ID    int64  `json:"id"`
	When  string `json:"when,omitempty"`
	Text  string `json:"text,omitempty"`
	Name  string `json:"name,omitempty"`
	State string `json:"state,omitempty"` // new state of the task: active or paused

	Options map[string]any `json:"options,omitempty"` // other settings of the task, by name
}

// TaskArguments holds the arguments of cancel_task and get_task_results. For get_task_results an ID
// of 0 means all tasks.
type TaskArguments struct {
	ID int64 `json:"id,omitempty"`
}

// JobResultArguments holds the arguments of job_result, which ends a job's turn.
type JobResultArguments struct {
	Say string `json:"say"`           // message to the user; "" means none
	Met *bool  `json:"met,omitempty"` // whether the job's condition holds
}
