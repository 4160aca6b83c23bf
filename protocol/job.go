package protocol

// MethodJobCall has the supervisor do what a call of a tool about jobs says: JobCall to JobAnswer.
// It is a call in turn, one at a time and at most MaxJobCalls times in a turn. The supervisor reads
// the call in the transcript; the worker only names it. The same call again changes nothing more.
// Its error says in words for the model what can't be done; it has CodeWaits while the person has
// not said whether a job may speak to others, as question.ask does.
//
//	{"turn":8,"call":"t8-1-1"}
//	{"text":"Reminder 3 is set.","brief":"reminder 3"}
const MethodJobCall = "job.call"

// MaxJobCalls is how often a turn may see to jobs.
const MaxJobCalls = 50

// JobCall names a call.
type JobCall struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// JobAnswer is what came of it.
type JobAnswer struct {
	Text  string `json:"text"`            // for the model
	Brief string `json:"brief,omitempty"` // for the person, a few words
	World bool   `json:"world,omitempty"` // it may hold words of somebody else than the person
}

// JobTools are the tools that MethodJobCall is for.
var JobTools = []string{"schedule_task", "list_tasks", "update_task", "cancel_task", "get_task_results",
	"enable_file_notifications", "disable_file_notifications", "get_file_notification_status"}

// ScheduleTask are the arguments of schedule_task.
type ScheduleTask struct {
	When    string         `json:"when"`
	Text    string         `json:"text"`
	Kind    string         `json:"kind,omitempty"` // reminder, which is the default, task or check
	Name    string         `json:"name,omitempty"`
	Check   Check          `json:"check,omitzero"`
	Options map[string]any `json:"options,omitempty"` // what else can be set of it, by name
}

// Check is what a check looks at, and what becomes of it; see LookParameters.
type Check struct {
	Files         string   `json:"files,omitempty"`
	Changes       []string `json:"changes,omitempty"`
	Command       string   `json:"command,omitempty"`
	Ask           string   `json:"ask,omitempty"`  // a model judges this by what was found
	Task          bool     `json:"task,omitempty"` // the text is done, not said
	AutoRemove    bool     `json:"auto_remove,omitempty"`
	NotifyOnCheck bool     `json:"notify_on_check,omitempty"`
}

// UpdateTask are the arguments of update_task. What is "" stays as it is.
type UpdateTask struct {
	ID    int64  `json:"id"`
	When  string `json:"when,omitempty"`
	Text  string `json:"text,omitempty"`
	Name  string `json:"name,omitempty"`
	State string `json:"state,omitempty"` // active or paused

	Options map[string]any `json:"options,omitempty"` // as in ScheduleTask
}

// TaskID are the arguments of cancel_task, and of get_task_results, where 0 is all tasks.
type TaskID struct {
	ID int64 `json:"id,omitempty"`
}

// JobResult are the arguments of job_result, with which a job's turn ends.
type JobResult struct {
	Say string `json:"say"`           // to the person; "" is nothing
	Met *bool  `json:"met,omitempty"` // whether that is so for which the job looks
}
