package claim

import (
	"slices"
	"strings"
)

// Attachment stands for a file that came with the user's message, in a list of tools. The model
// reads such a file without a tool.
const Attachment = ""

// proofs lists the kinds of deeds that a successful call of each tool may have done. An unknown
// tool, such as a tool of an MCP server, may have done any deed.
var proofs = map[string][]DeedKind{
	Attachment: {Lookup},

	"write_file":    {Write, Delete, Schedule, Remember},
	"append_file":   {Write, Schedule, Remember},
	"edit_file":     {Write, Delete, Schedule, Remember},
	"move_file":     {Write, Delete},
	"delete_file":   {Write, Delete},
	"delete_upload": {Write, Delete},

	"remember":      {Remember, Write},
	"update_memory": {Remember, Write},
	"note_today":    {Remember, Write},
	"forget":        {Delete, Write},
	"recall":        {Lookup},

	"send_file":    {Send},
	"send_message": {Send},

	"schedule_task": {Schedule, Write, Promise},
	"update_task":   {Schedule, Write, Promise},
	"cancel_task":   {Schedule, Write, Delete},

	"list_files":        {Lookup},
	"list_uploads":      {Lookup},
	"read_file":         {Lookup},
	"read_output":       {Lookup},
	"search_files":      {Lookup},
	"view_image":        {Lookup},
	"get_time":          {Lookup},
	"read_activity_log": {Lookup},
	"read_message":      {Lookup},
	"search_history":    {Lookup},
	"search_home":       {Lookup},
	"list_tasks":        {Lookup},
	"get_task_results":  {Lookup},

	"enable_file_notifications":    {Schedule, Write, Promise},
	"disable_file_notifications":   {Schedule, Write, Delete},
	"get_file_notification_status": {Lookup},

	"ask_user":   nil,
	"job_result": nil,
	"find_tools": nil,

	// Programs have no network, so they can't send.
	"run_command": {Write, Delete, Run, Schedule, Lookup, Remember},
	"run_python":  {Write, Delete, Run, Schedule, Lookup, Remember},
	"terminal":    {Write, Delete, Run, Schedule, Lookup, Remember},
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
	for _, kind := range Kinds {
		if slices.Contains(kinds, kind) && len(said) < maxNoteKinds {
			said = append(said, deeds[kind])
		}
	}
	switch {
	case len(said) == 0:
		return ""
	case len(kinds) == 1 && kinds[0] == Promise:
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

// CutWarning returns an answer without the warning about claims. found reports whether there was a
// warning.
func CutWarning(answer string) (text string, found bool) {
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
