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

	"remember":      {DeedRemember, DeedWrite},
	"update_memory": {DeedRemember, DeedWrite},
	"note_today":    {DeedRemember, DeedWrite},
	"forget":        {DeedDelete, DeedWrite},
	"recall":        {DeedLookup},

	"send_file":    {DeedSend},
	"send_message": {DeedSend},

	"schedule_task": {DeedSchedule, DeedWrite, DeedPromise},
	"update_task":   {DeedSchedule, DeedWrite, DeedPromise},
	"cancel_task":   {DeedSchedule, DeedWrite, DeedDelete},

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

	"enable_file_notifications":    {DeedSchedule, DeedWrite, DeedPromise},
	"disable_file_notifications":   {DeedSchedule, DeedWrite, DeedDelete},
	"get_file_notification_status": {DeedLookup},

	"ask_user":   nil,
	"job_result": nil,
	"find_tools": nil,

	// Programs have no network, so they can't send.
	"run_command": {DeedWrite, DeedDelete, DeedRun, DeedSchedule, DeedLookup, DeedRemember},
	"run_python":  {DeedWrite, DeedDelete, DeedRun, DeedSchedule, DeedLookup, DeedRemember},
	"terminal":    {DeedWrite, DeedDelete, DeedRun, DeedSchedule, DeedLookup, DeedRemember},
}

func mayHaveDone(tool string, kind DeedKind) bool {
	kinds, known := proofs[tool]
	return !known || slices.Contains(kinds, kind)
}

// UnverifiedKinds returns the kinds of claims that no deed has proved. worked lists the deeds of
// this turn; worked(true) adds the deeds of earlier turns. A deed of an earlier turn counts only
// for a claim with Earlier set. It proves the claim only if the claim names the deed's path, name
// or time.
func UnverifiedKinds(claims []Claim, worked func(earlier bool) ([]Deed, error)) (kinds []DeedKind, err error) {
	for _, c := range claims {
		deeds, err := worked(c.Earlier)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(deeds, func(d Deed) bool {
			return mayHaveDone(d.Tool, c.Kind) && (!d.Earlier || c.Earlier && c.explainedBy(d.Row))
		}) {
			kinds = append(kinds, c.Kind)
		}
	}
	return kinds, nil
}

// Warning returns the warning below an answer with unproved claims. Without claims it returns "".
func Warning(kinds []DeedKind) string {
	var said []string
	for _, kind := range DeedKinds {
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

// RemoveWarning returns an answer without the warning about claims. found reports whether there was a
// warning.
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
