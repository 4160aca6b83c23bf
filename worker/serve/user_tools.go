package serve

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/prompt"
	"mews/worker/quota"
	"mews/worker/tool/files"
	"mews/worker/tool/images"
	"mews/worker/tool/output"
	"mews/worker/tool/send"
	"mews/worker/tool/shell"
	"mews/worker/workspace"
)

// userTools is the one person a worker works for: their folder and the tools over it. It does not change once it is open.
type userTools struct {
	hello       protocol.Hello
	files       *workspace.Workspace // as the tools see it
	promptFiles *workspace.Workspace // as the worker itself does: only Exclude hides instructions and memory from it
	quota       *quota.Quota         // of the folder
	shell       *shell.Shell         // nil: this worker runs no programs
	tools       []worker.Tool
}

func openUserTools(hello protocol.Hello, o Options) (*userTools, error) {
	zone, err := loadZone(hello.Timezone)
	if err != nil {
		return nil, err
	}
	files, err := workspace.Open(hello.Home, hello.Files)
	if err != nil {
		return nil, err
	}
	own, err := workspace.Open(hello.Home, protocol.FilePolicy{Exclude: hello.Files.Exclude})
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	room, err := quota.New(quota.Options{Dir: hello.Home, Limit: hello.Disk, Now: o.Now, Report: o.Report})
	if err != nil {
		return nil, errors.Join(err, files.Close(), own.Close())
	}
	files.SetQuota(room)
	c := &userTools{hello: hello, files: files, promptFiles: own, quota: room, tools: o.Tools(files, o.Now, zone)}
	if o.Start != nil && isUnrestricted(hello.Files) {
		c.shell = shell.New(files, shell.Options{
			Home: hello.Home, User: hello.User, Zone: hello.Timezone, Env: o.Env, Temp: o.Temp, Now: o.Now,
			QuotaNote: room.Note, Start: o.Start,
		})
		c.tools = append(c.tools, c.shell.Tools()...)
	}
	return c, nil
}

// isUnrestricted says whether a policy leaves the whole folder to be seen and changed. Programs are run only then: they would see
// what it hides.
func isUnrestricted(p protocol.FilePolicy) bool {
	return len(p.Include) == 0 && len(p.Exclude) == 0 && len(p.AppendOnly) == 0
}

// loadZone finds a time zone; "" is the machine's own.
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

// close lets go of the person's folder. Tools that still run fail.
func (c *userTools) close(report func(error)) {
	var running error
	if c.shell != nil {
		running = c.shell.Close()
	}
	if err := errors.Join(running, c.files.Close(), c.promptFiles.Close(), c.quota.Close()); err != nil {
		report(fmt.Errorf("close the chamber: %w", err))
	}
}

// standardTools are the families of tools that every worker has, in no order.
func standardTools(ws *workspace.Workspace, now func() time.Time, zone *time.Location) []worker.Tool {
	return append(files.Tools(ws, now, zone), images.Tool(ws))
}

// forTurn is the table of tools of one turn, sorted by name: the userTools's, and those that need the turn's host.
func (c *userTools) forTurn(turn *host.Turn, limits protocol.TurnLimits) []worker.Tool {
	tools := append(slices.Clone(c.tools), output.Tool(turn, limits.Output), send.Tool(c.files, turn))
	slices.SortFunc(tools, func(a, b worker.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// descriptions are the tools as the supervisor and the model are told of them. They are the same in every turn.
func (c *userTools) descriptions() []protocol.Tool {
	var tools []protocol.Tool
	for _, tool := range c.forTurn(nil, protocol.TurnLimits{}) {
		tools = append(tools, tool.Tool)
	}
	return tools
}

// systemText is the system text of a turn, with what the person's files say now. A file that cannot be read is left out, and
// the error says so.
func (c *userTools) systemText() (string, error) {
	parts := prompt.Parts{User: c.hello.User, Timezone: c.hello.Timezone, Files: c.hello.Files}
	err := parts.ReadFiles(c.promptFiles)
	return prompt.Text(parts), err
}
