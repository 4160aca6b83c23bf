package claim

import (
	"slices"
	"strings"
)

// AttachmentTool stands for a file that came with the user's message, in a list of tools. The model
// reads such a file without a tool.
const AttachmentTool = ""

// proofs lists the kinds of deeds that a successful call of each tool may have done. An unknown
// tool, such as a tool of an MCP server, may have done any deed.
var proofs = map[string][]DeedKind{
	AttachmentTool: {DeedLookup},

	"write_file":    {DeedWrite, DeedDelete, DeedSchedule, DeedRemember},
	"append_file":   {DeedWrite, DeedSchedule, DeedRemember},
	"edit_file":     {DeedWrite, DeedDelete, DeedSchedule, DeedRemember},
	"move_file":     {DeedWrite, DeedDelete},
	"delete_file":   {DeedWrite, DeedDelete},
	"delete_upload": {DeedWrite, DeedDelete},
	"restore_file":  {DeedWrite, DeedDelete},

	"remember":      {DeedRemember, DeedWrite},
	"update_memory": {DeedRemember, DeedWrite},
	"note_today":    {DeedRemember, DeedWrite},
	"forget":        {DeedDelete, DeedWrite},
	"recall":        {DeedLookup},

	"plot_chart": {DeedWrite},

	"send_file":    {DeedSend},
	"send_message": {DeedSend},

	"schedule_task": {DeedSchedule, DeedWrite, DeedPromise},
	"update_task":   {DeedSchedule, DeedWrite, DeedPromise},
	"cancel_task":   {DeedSchedule, DeedWrite, DeedDelete},

	"todo_add":    {DeedWrite, DeedSchedule, DeedRemember, DeedPromise},
	"todo_update": {DeedWrite, DeedSchedule, DeedDelete, DeedRemember, DeedPromise},
	"todo_remove": {DeedWrite, DeedDelete},
	// the user chooses what it adds
	"todo_extract": {DeedLookup, DeedWrite, DeedSchedule, DeedRemember},

	"calendar_add":    {DeedWrite, DeedSchedule, DeedRemember, DeedPromise},
	"calendar_update": {DeedWrite, DeedSchedule, DeedDelete, DeedRemember, DeedPromise},
	"calendar_delete": {DeedWrite, DeedDelete, DeedSchedule},

	"file_history":      {DeedLookup},
	"list_files":        {DeedLookup},
	"list_uploads":      {DeedLookup},
	"read_file":         {DeedLookup},
	"read_output":       {DeedLookup},
	"search_files":      {DeedLookup},
	"view_image":        {DeedLookup},
	"get_time":          {DeedLookup},
	"read_activity_log": {DeedLookup},
	"read_message":      {DeedLookup},
	"search_history":    {DeedLookup},
	"search_home":       {DeedLookup},
	"list_tasks":        {DeedLookup},
	"get_task_results":  {DeedLookup},
	"todo_list":         {DeedLookup},
	"calendar_list":     {DeedLookup, DeedWrite},
	"calendar_upcoming": {DeedLookup},
	"get_weather":       {DeedLookup},
	"web_search":        {DeedLookup},
	"read_service":      {DeedLookup},

	// a service may be anything, such as a task list or a mailbox
	"call_service": {DeedWrite, DeedDelete, DeedSend, DeedRun, DeedBuy, DeedSchedule, DeedLookup, DeedRemember},
	"web_fetch":    {DeedLookup, DeedWrite},

	"enable_file_notifications":    {DeedSchedule, DeedWrite, DeedPromise},
	"disable_file_notifications":   {DeedSchedule, DeedWrite, DeedDelete},
	"get_file_notification_status": {DeedLookup},

	"ask_user":   nil,
	"job_result": nil,
	"find_tools": nil,

	"compare_numbers": {DeedLookup},
	"get_token_usage": {DeedLookup},
	"token_stats":     {DeedLookup},
	"random_choice":   nil,
	"random_number":   nil,
	"shuffle_list":    nil,
	"sort_list":       nil,

	// Programs have no network, so they can't send. Their charts are sent by Mews: Deed.Sent.
	"run_command": {DeedWrite, DeedDelete, DeedRun, DeedSchedule, DeedLookup, DeedRemember},
	"run_python":  {DeedWrite, DeedDelete, DeedRun, DeedSchedule, DeedLookup, DeedRemember},
	"terminal":    {DeedWrite, DeedDelete, DeedRun, DeedSchedule, DeedLookup, DeedRemember},
}

func mayHaveDone(tool string, kind DeedKind) bool {
	kinds, known := proofs[tool]
	return !known || slices.Contains(kinds, kind)
}

// tracked are the tools whose rows name the files that they changed or sent. A terminal's row need
// not name them.
var tracked = []string{"write_file", "append_file", "edit_file", "move_file", "delete_file", "delete_upload",
	"plot_chart", "send_file", "run_command", "run_python"}

// UnverifiedKinds returns the kinds of claims that no deed has proved. worked lists the deeds of
// this turn; worked(true) adds the deeds of earlier turns. A deed of an earlier turn counts only
// for a claim with Earlier set, and only if the claim names the deed's path, name or time. If a
// claim names files, a deed of this turn must name one of the files.
func UnverifiedKinds(claims []Claim, worked func(earlier bool) ([]Deed, error)) (kinds []DeedKind, err error) {
	for _, c := range claims {
		deeds, err := worked(c.Earlier)
		if err != nil {
			return nil, err
		}
		areFilesKnown := c.areFilesKnown(deeds)
		switch {
		case !slices.ContainsFunc(deeds, func(d Deed) bool {
			return d.proves(c) && (d.Earlier || areFilesKnown || !slices.Contains(tracked, d.Tool))
		}):
			kinds = append(kinds, c.Kind)
		case c.Passed && !slices.ContainsFunc(deeds, func(d Deed) bool { return d.proves(c) && !d.failed() }):
			kinds = append(kinds, DeedRunSucceeded)
		}
	}
	return kinds, nil
}

// proves reports whether a deed may be the deed of a claim. A failed program has done nothing but
// run, and read files, unless it changed files.
func (d Deed) proves(c Claim) bool {
	if d.failed() && !d.Changed && c.Kind != DeedRun && c.Kind != DeedLookup {
		return false
	}
	done := mayHaveDone(d.Tool, c.Kind) || d.Sent && c.Kind == DeedSend
	return done && (!d.Earlier || c.Earlier && c.explainedBy(d.Row))
}

// failed reports whether the deed is a program that did not end with success.
func (d Deed) failed() bool {
	status, _, _ := strings.Cut(d.Result, ",")
	return slices.Contains(proofs[d.Tool], DeedRun) && status != "exit 0" && (strings.HasPrefix(status, "exit ") ||
		strings.HasPrefix(status, "ended by a signal") || strings.HasPrefix(status, "timed out after"))
}

// areFilesKnown reports whether a row of this turn names one of the claim's files, or whether the
// claim names no files. Only changed, deleted and sent files matter.
func (c Claim) areFilesKnown(deeds []Deed) bool {
	files := filesIn(c.Sentence)
	if len(files) == 0 || c.Kind != DeedWrite && c.Kind != DeedDelete && c.Kind != DeedSend {
		return true
	}
	for _, d := range deeds {
		row := strings.ToLower(d.Row)
		if !d.Earlier && slices.ContainsFunc(files, func(file string) bool { return holdsName(row, file) }) {
			return true
		}
	}
	return false
}

// Warning returns the warning below an answer with unproved claims. Without claims it returns "".
func Warning(kinds []DeedKind) string {
	var said []string
	for _, kind := range append(slices.Clone(DeedKinds), DeedRunSucceeded) {
		if slices.Contains(kinds, kind) && len(said) < maxNoteKinds {
			said = append(said, deeds[kind])
		}
	}
	switch {
	case len(said) == 0:
		return ""
	case len(kinds) == 1 && kinds[0] == DeedPromise:
		return textPromise
	}
	all := said[0]
	for i, deed := range said[1:] {
		all += map[bool]string{true: textAnd, false: ", "}[i == len(said)-2] + deed
	}
	return textNote + all + textNoteEnd
}

// maxNoteKinds is the largest number of kinds that a warning names. So a warning has at most two
// lines.
const maxNoteKinds = 3

// RemoveWarning returns an answer without the warning about claims. found reports whether there was
// a warning.
func RemoveWarning(answer string) (text string, found bool) {
	if before, after, found := strings.Cut(answer, textPromise); found {
		return strings.TrimSpace(before + after), true
	}
	begin := max(0, strings.LastIndex(answer, textNote))
	_, after, found := strings.Cut(answer[begin:], textNoteEnd)
	if !found || !strings.HasPrefix(answer[begin:], textNote) {
		return answer, false
	}
	return strings.TrimSpace(answer[:begin] + after), true

}
