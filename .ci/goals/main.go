// Command goals prints the goals of the benchmarks beside their figures: goals GOALS LAST NOW.
// GOALS is a file of goals; LAST and NOW are outputs of `go test -bench`. It fails only if it can't
// read these files. A missed goal only shows in the table.
package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goals:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, files []string) error {
	if len(files) != 3 {
		return fmt.Errorf("got %d files, want GOALS LAST NOW", len(files))
	}
	goals, err := open(files[0], readGoals)
	if err != nil {
		return err
	}
	last, err := open(files[1], readFigures)
	if err != nil {
		return err
	}
	now, err := open(files[2], readFigures)
	if err != nil {
		return err
	}
	return printTable(w, goals, last, now)
}

func open[T any](path string, read func(io.Reader) (T, error)) (got T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return got, err
	}
	defer f.Close()
	if got, err = read(f); err != nil {
		return got, fmt.Errorf("read %s: %w", path, err)
	}
	return got, nil
}

// printTable prints a line for each goal.
func printTable(w io.Writer, goals []goal, last, now figures) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "benchmark\tunit\tlast kept\tnow\tgoal\t")
	for _, g := range goals {
		limit, result := g.judge(now)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", g.name, g.unit, last.show(g.figure), now.show(g.figure), limit, result)
	}
	return t.Flush()
}
