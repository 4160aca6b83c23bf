package taint

import "mews/protocol"

// tools says whose words the results of each tool have. A tool without a row has words of others.
var tools = map[string]Tool{
	// the folder
	"list_files":   {Words: InFiles, Private: true},
	"read_file":    {Words: InFiles, Private: true},
	"search_files": {Words: BelowFolder, Private: true},
	"edit_file":    {Words: InFiles, Private: true},
	"write_file":   {Words: Own},
	"append_file":  {Words: Own},
	"move_file":    {Words: InFiles},
	"delete_file":  {Words: InFiles},
	"view_image":   {Words: InFiles, Private: true},
	"file_history": {Words: InFiles, Private: true},
	"restore_file": {Words: InFiles, Private: true},

	// files that the user has sent; others have named them
	"list_uploads":  {Words: Others, Private: true},
	"delete_upload": {Words: Others, Private: true},

	// programs
	"run_command": {Words: OfProgram, Private: true},
	"run_python":  {Words: OfProgram, Private: true},
	"terminal":    {Words: OfProgram, Private: true},
	"read_output": {Words: OfOutput, Private: true},

	// the supervisor's own rows
	"search_history":    {Words: Answered, Private: true},
	"search_home":       {Words: BelowFolder, Private: true},
	"read_message":      {Words: Answered, Private: true},
	"read_activity_log": {Words: Answered, Private: true},
	"ask_user":          {Words: Own},

	// jobs
	"schedule_task":                {Words: Own},
	"update_task":                  {Words: Own},
	"cancel_task":                  {Words: Own},
	"list_tasks":                   {Words: Answered, Private: true},
	"get_task_results":             {Words: Answered, Private: true},
	"enable_file_notifications":    {Words: Answered},
	"disable_file_notifications":   {Words: Answered},
	"get_file_notification_status": {Words: Answered},
	"job_result":                   {Words: Own},

	// the memory; recall also finds texts in files that the user has not accepted
	"remember":      {Words: Own},
	"update_memory": {Words: Own},
	"forget":        {Words: Own},
	"note_today":    {Words: Own},
	"recall":        {Words: InFiles, Private: true},

	// the web and named services
	"web_search":   {Words: Others},
	"web_fetch":    {Words: Others},
	"get_weather":  {Words: Others},
	"read_service": {Words: Answered, Private: true},
	"call_service": {Words: Answered, Private: true},

	// to-dos and the calendar
	"todo_add":          {Words: InFiles, File: todoFile},
	"todo_list":         {Words: InFiles, File: todoFile, Private: true},
	"todo_update":       {Words: InFiles, File: todoFile, Private: true},
	"todo_remove":       {Words: InFiles, File: todoFile},
	"todo_extract":      {Words: BelowFolder, File: todoFile, Private: true},
	"calendar_add":      {Words: InFiles, File: calendarFile, Private: true, Written: eventTexts},
	"calendar_list":     {Words: InFiles, File: calendarFile, Private: true},
	"calendar_upcoming": {Words: InFiles, File: calendarFile, Private: true},
	"calendar_update":   {Words: InFiles, File: calendarFile, Private: true, Written: eventTexts},
	"calendar_delete":   {Words: InFiles, File: calendarFile},

	// charts and figures
	"plot_chart":      {Words: InFiles, Private: true},
	"compare_numbers": {Words: Own},
	"sort_list":       {Words: Own},
	"shuffle_list":    {Words: Own},
	"random_choice":   {Words: Own},
	"random_number":   {Words: Own},
	"get_token_usage": {Words: Own},
	"token_stats":     {Words: Own},

	// other tools
	"get_time":     {Words: Own},
	"find_tools":   {Words: Own},
	"send_file":    {Words: Own},
	"send_message": {Words: Own},
}

// Files of the home that tools read without a path.
const (
	todoFile     = "todos.md"
	calendarFile = "calendar.ics"
)

// eventTexts are the arguments that the calendar's tools write.
var eventTexts = []string{"title", "location", "notes"}

// methods says whose words the answer to each host call has. An answer of the class Answered has a
// field World. A method without a row has words of others.
var methods = map[string]Words{
	// the model's message; its calls are committed before the worker reads it
	protocol.MethodModelStream:  Own,
	protocol.MethodStepCommit:   Own,
	protocol.MethodTurnEvent:    Own,
	protocol.MethodToolsFind:    Own,
	protocol.MethodToolsChanged: Own,

	// a blob may have words of others; the tool that reads it decides
	protocol.MethodBlobBegin:  Own,
	protocol.MethodBlobWrite:  Own,
	protocol.MethodBlobCommit: Own,
	protocol.MethodBlobRead:   OfOutput,

	protocol.MethodChatSend:     Own,
	protocol.MethodChatMessage:  Own,
	protocol.MethodChatPictures: Own,

	protocol.MethodWebSearch:    Others,
	protocol.MethodWebFetch:     Others,
	protocol.MethodWebWeather:   Others,
	protocol.MethodServiceRead:  Answered,
	protocol.MethodServiceCall:  Answered,
	protocol.MethodUsageRead:    Own,
	protocol.MethodTodoSections: Own,
	protocol.MethodTodoExtract:  BelowFolder,

	protocol.MethodCalendarSubscribed: Answered,

	protocol.MethodHistorySearch: Answered,
	protocol.MethodHomeSearch:    Answered,
	protocol.MethodHistoryRead:   Answered,
	protocol.MethodActivityRead:  Answered,
	protocol.MethodQuestionAsk:   Answered,
	protocol.MethodJobCall:       Answered,

	protocol.MethodMemoryRemember:    Own,
	protocol.MethodMemoryRecalled:    Own,
	protocol.MethodMemoryChanged:     Own,
	protocol.MethodPromptFileReport:  Own,
	protocol.MethodIndexChanged:      Own,
	protocol.MethodIndexFiles:        Own,
	protocol.MethodIndexSections:     Own,
	protocol.MethodIndexPut:          Own,
	protocol.MethodIndexEnd:          Own,
	protocol.MethodDiskGrowth:        Own,
	protocol.MethodDiskThin:          Own,
	protocol.MethodDiskHold:          Own,
	protocol.MethodDiskExceeded:      Own,
	protocol.MethodReviewReport:      Own,
	protocol.MethodReviewCheck:       Own,
	protocol.MethodOperationPiece:    Own,
	protocol.MethodOperationProgress: Own,
	protocol.MethodTerminalsList:     Own,
	protocol.MethodRemindersReport:   Own,
}

// FindMethod returns whose words the answer to a host call has. The words of an unknown method are
// those of others.
func FindMethod(method string) Words { return methods[method] }

// HasTool and HasMethod report whether a tool or a method has a row in its table.
func HasTool(name string) bool     { _, known := tools[name]; return known }
func HasMethod(method string) bool { _, known := methods[method]; return known }
