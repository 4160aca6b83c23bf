package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
)

var pythonSpec = worker.ToolSpec{
	Name:        "run_python",
	Effect:      protocol.EffectOnce, // a second run of a program may have other effects
	Description: "Run Python code, or the script at path, in the folder. Tells which files changed.",
	Arguments: []worker.Argument{
		{Name: "code", Type: worker.StringArgument},
		{Name: "path", Type: worker.StringArgument},
		{Name: "args", Type: worker.StringListArgument},
		{Name: "timeout", Type: worker.IntegerArgument, Description: "seconds"},
	},
}

type pythonArgs struct {
	Code    string   `json:"code"`
	Path    string   `json:"path"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`
}

// loader runs the script of its first argument like Python itself, except that modules are imported
// from the working directory instead of the script's folder.
const loader = `import sys; sys.argv = sys.argv[1:]; __file__ = sys.argv[0]; ` +
	`exec(compile(open(__file__, encoding="utf-8-sig").read(), __file__, "exec"))`

func (r *programRunner) python(ctx context.Context, call worker.Call, args pythonArgs) (worker.Result, error) {
	timeout, err := r.timeout(args.Timeout)
	if err != nil {
		return worker.Result{}, err
	}
	line, cleanUp, err := r.pythonLine(args)
	if err != nil {
		return worker.Result{}, err
	}
	defer cleanUp()
	cmd := r.newCommand(r.Home, r.variables("TERM=dumb", "MPLBACKEND=Agg"), line[0], line[1:]...)
	title := strings.TrimSpace("python " + args.Path)
	var o runOutcome
	found, err := r.recordProgram(ctx, programAuthor(call.Turn, title), func() (err error) {
		o, err = r.run(ctx, programRun{cmd: cmd, timeout: timeout, progress: call.Progress})
		return err
	})
	if err != nil {
		return found.stopped(title), err
	}
	return worker.Result{
		Text: o.head() + found.kept.head() + found.head() + o.output.text, Brief: o.brief() + found.brief(),
		Changes: append([]protocol.Change{found.kept.complete(o.change(title))}, found.written()...),
	}, nil
}

// pythonLine returns the command line. -u shows output at once, -B writes no compiled files to the
// folder.
func (r *programRunner) pythonLine(args pythonArgs) (line []string, cleanUp func(), err error) {
	if (args.Code == "") == (args.Path == "") {
		return nil, nil, errors.New("give either code or the path of a script")
	}
	for _, arg := range args.Args {
		if strings.ContainsRune(arg, 0) || len(arg) > maxCommand {
			return nil, nil, fmt.Errorf("an argument of %s: it must be short and hold no NUL byte",
				amount.FormatBytes(int64(len(arg))))
		}
	}
	python, ok := r.FindProgram("python3")
	if !ok {
		return nil, nil, fmt.Errorf("python3 is not installed here: it is not in %s", r.Path)
	}
	line, cleanUp = []string{python, "-u", "-B"}, func() {}
	if args.Path != "" {
		script, err := r.script(args.Path)
		return append(append(line, script), args.Args...), cleanUp, err
	}
	file, err := r.temp.script(args.Code)
	if err != nil {
		return nil, nil, err
	}
	cleanUp = func() { _ = os.Remove(file) } // the script may have removed its own file
	return append(append(line, "-c", loader, file), args.Args...), cleanUp, nil
}
