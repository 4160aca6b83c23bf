package serve

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/dailylog"
	"mews/worker/filehistory"
	"mews/worker/index"
	"mews/worker/memory"
	"mews/worker/program"
	"mews/worker/prompt"
	"mews/worker/promptfile"
	"mews/worker/quota"
	"mews/worker/tool/calendar"
	"mews/worker/tool/images"
	"mews/worker/tool/shell"
	"mews/worker/tool/todo"
	"mews/worker/undo"
	"mews/worker/workspace"
)

// userTools holds a user's folder and the tools over it. A worker has one userTools, which never
// changes.
type userTools struct {
	hello   protocol.Hello
	options Options
	zone    *time.Location
	files   *workspace.Workspace // the files that tools may see
	// files for prompts; of the file policy, only Exclude holds for them
	promptFiles *workspace.Workspace
	quota       *quota.Quota // quota of the folder
	// history has earlier versions of the home's files; nil means that none are kept
	history      *filehistory.History
	historyFiles *workspace.Workspace // files of the history, if tools may not see all files; nil otherwise
	historyOff   string               // why there is no history
	// oldVersions is the history, also if no new versions are kept. It is for forgetting; nil means
	// that this worker has no folder with versions.
	oldVersions   *filehistory.History
	historyBroken error           // why the history can't be opened
	programs      *program.Runner // runner of the worker's own programs; nil means that this worker runs none
	shell         *shell.Shell    // shell tools; nil means that the model may run no programs
	images        *images.Viewer
	undoer        *undo.Undoer
	watch         *index.Watcher // watch for changes of the folder
	indexing      sync.Mutex     // held while an index operation runs
	// at the end of the last turn, a prompt file's text in force differed from the home's text
	promptTextsDiffer atomic.Bool
	memory            *memory.Home
	calendar          *calendar.Home
	log               *dailylog.Log
	todos             *todo.List
	disk              diskUse
	tools             []worker.Tool // tools that all turns share
}

// hasHome reports whether the worker has a folder. Without a folder it has no tool and runs no
// operation.
func (u *userTools) hasHome() bool { return u.files != nil }

// openUserTools opens the folder that hello names, if it names a folder. exceeded is called if
// programs let the folder grow beyond its limits. The caller closes the userTools.
func openUserTools(hello protocol.Hello, o Options, exceeded func(bytes, files int64)) (*userTools, error) {
	if hello.Home == "" {
		return &userTools{hello: hello, options: o}, nil
	}
	zone, err := loadZone(hello.Timezone)
	if err != nil {
		return nil, err
	}
	if hello.Home, err = filepath.Abs(hello.Home); err != nil {
		return nil, err
	}
	u := &userTools{hello: hello, options: o, zone: zone}
	if u.files, err = workspace.Open(hello.Home, hello.Files); err != nil {
		return nil, err
	}
	if u.promptFiles, err = workspace.Open(hello.Home, protocol.FilePolicy{Exclude: hello.Files.Exclude}); err != nil {
		return nil, errors.Join(err, u.files.Close())
	}
	u.quota, err = quota.New(quota.Options{Dir: hello.Home, Limit: hello.Disk, FileLimit: hello.DiskFiles,
		RunPrograms: u.runPrograms, Exceeded: exceeded, Now: o.Now, Report: o.Report})
	if err != nil {
		return nil, errors.Join(err, u.files.Close(), u.promptFiles.Close())
	}
	u.files.SetQuota(u.quota)
	u.watch = index.NewWatcher(hello.Home)
	u.openHistory()
	u.images, u.undoer = images.New(u.files, u.convertPicture), undo.New(u.files, u.history, o.Report)
	u.calendar = &calendar.Home{Files: u.files, Zone: zone, Now: o.Now}
	u.memory, u.log = &memory.Home{Files: u.files, Zone: zone}, &dailylog.Log{Files: u.files, Zone: zone}
	u.todos = todo.NewList(u.files, o.Now, zone)
	if u.history != nil {
		u.memory.Keep = u.history.Keep
	}
	if old := u.versionsToForget(); old != nil {
		u.memory.Versions, u.log.Versions = old, old
	}
	tools := o.Tools
	for _, family := range families {
		if o.Tools == nil {
			tools = append(tools, family(u)...)
		}
	}
	for _, tool := range tools {
		u.tools = append(u.tools, u.withFileHistory(tool))
	}
	if o.Start != nil {
		u.programs = &program.Runner{Children: program.NewChildren(u.start), Environment: program.Environment{
			Home: hello.Home, User: hello.User, Zone: hello.Timezone, Env: o.Env}, StartParser: o.StartParser,
			StartReader: o.StartReader}
		children := u.programs.Children
		children.FirstStart, children.KillAll, children.Survived = u.noteProgramStart, o.KillAll, o.Abort
	}
	if u.programs != nil && isUnrestricted(hello.Files) {
		u.shell = shell.New(u.files, shell.Options{
			Home: hello.Home, User: hello.User, Zone: hello.Timezone, Env: o.Env, Temp: o.Temp, Now: o.Now,
			QuotaNote: u.quota.RefusalNote, Programs: u.programs.Children, History: u.history,
		})
		u.tools = append(u.tools, u.shell.Tools()...)
	}
	return u, nil
}

// isUnrestricted reports whether a policy allows the whole folder. Only then may the model run
// programs, because programs could read hidden files.
func isUnrestricted(p protocol.FilePolicy) bool {
	return len(p.Include) == 0 && len(p.Exclude) == 0 && len(p.AppendOnly) == 0
}

// loadZone loads a time zone; "" means the machine's.
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time zone %.80q: want an IANA name such as Europe/Madrid: %w", name, err)
	}
	return zone, nil
}

// close closes the folder. Tools that still run fail.
func (u *userTools) close() {
	if !u.hasHome() {
		return
	}
	var running error
	if u.shell != nil {
		running = u.shell.Close()
	}
	err := errors.Join(running, u.closeHistory(), u.files.Close(), u.promptFiles.Close(), u.quota.Close(),
		u.watch.Close())
	if err != nil {
		u.options.Report(fmt.Errorf("close the home: %w", err))
	}
}

// terminals answers with the open terminals.
func (s *server) terminals(context.Context, *protocol.Request) (any, error) {
	var u *userTools
	s.update(func(state *serverState) { u = state.tools })
	if u == nil || u.shell == nil {
		return protocol.TerminalList{}, nil
	}
	return protocol.TerminalList{Terminals: u.shell.ListTerminals()}, nil
}

// runPrograms reports whether a program may run.
func (u *userTools) runPrograms() bool {
	return u.programs != nil && u.programs.Children.HasProcess()
}

// noMemoryInGroup stands for the memory in the system text of a turn in a group.
const noMemoryInGroup = "(left out in a group, where others read what you say; recall finds facts)"

// systemText returns the system text of a turn. texts are the prompt files in force. In a group,
// the text has nothing of MEMORY.md, the notes and USER.md, since others read the answers.
func (u *userTools) systemText(start protocol.TurnStart, texts promptfile.TextsByPath) string {
	parts := prompt.Parts{User: u.hello.User, Timezone: u.hello.Timezone, Files: u.hello.Files,
		Channel: start.Channel, Group: start.Group, ShowsFiles: start.ShowsFiles,
		Soul: texts[prompt.SoulFile], Instructions: texts[prompt.InstructionsFile]}
	if u.shell != nil {
		parts.Terminals = u.shell.DescribeTerminals()
	}
	parts.Memory = u.memory.PromptText(texts, start.RecallCounts, u.options.Now())
	switch {
	case !start.Group:
		parts.About = texts[prompt.AboutUserFile]
	case parts.Memory != "":
		parts.Memory = noMemoryInGroup
	}
	return prompt.BuildSystemText(parts)
}
