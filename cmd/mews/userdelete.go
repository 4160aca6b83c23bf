package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor"
)

// deletion are the parameters of user.delete.
type deletion struct {
	User string `json:"user"`
	Look bool   `json:"look,omitempty"` // only say what would go
}

// estate is what there is of a person, or what was deleted.
type estate struct {
	Rows  map[string]int64 `json:"rows"` // by table
	Home  string           `json:"home,omitempty"`
	Files int64            `json:"files,omitempty"`
	Bytes int64            `json:"bytes,omitempty"`
}

// deletePerson deletes all of a person who does not stand in the configuration: what the database has, and the folder below
// the state folder. What runs for them is ended before. The audit log stays.
func (o estates) deletePerson(ctx context.Context, by clerk, q deletion) (estate, error) {
	if !config.NameCan(q.User) {
		return estate{}, refused(supervisor.CodeInvalid, "Nobody can have the name %q.", q.User)
	}
	if o.configured(q.User) {
		return estate{}, refused(supervisor.CodeInvalid, "%s stands in the configuration. Take them out there, then `mews reload`; then they "+
			"can be deleted.", q.User)
	}
	e, err := estateOf(ctx, o.store.People, o.roster.Config(), q.User)
	if err != nil || q.Look {
		return e, err
	}
	if err := o.shutOut(ctx, by, q.User); err != nil {
		return estate{}, err
	}
	if o.labour != nil { // ended last: nothing of theirs begins any more
		if err := o.labour.end(ctx, q.User); err != nil {
			return estate{}, refused(supervisor.CodeUnavailable, "%s was shut out, and what runs for them could not be ended, so nothing "+
				"else was deleted: %v. Run this again.", q.User, err)
		}
	}
	if err := o.note(ctx, by, q.User, "user.deleting", ""); err != nil { // it is not one transaction
		return estate{}, err
	}
	rows, err := o.store.People.Erase(ctx, q.User)
	if err != nil {
		return estate{}, refused(supervisor.CodeUnavailable, "%s was shut out, and not all of theirs could be deleted: %v. Run this again.", q.User, err)
	}
	if e.Home != "" {
		err = removeHome(e.Home)
	}
	e.Rows = rows
	return e, errors.Join(err, o.note(ctx, by, q.User, "user.deleted", fmt.Sprintf("with %s", amount.Of(int(e.Files), "file", "files"))))
}

// shutOut has somebody be no user any more, so that nothing new of theirs is taken.
func (o estates) shutOut(ctx context.Context, by clerk, name string) error {
	if _, err := o.store.People.Remove(ctx, name, entry(by, name, "user.removed", "")); err != nil {
		return err
	}
	return o.roster.Refresh(ctx)
}

// removeHome deletes a folder with all that is in it, and nothing that a link in it leads to.
func removeHome(home string) error {
	above, err := os.OpenRoot(filepath.Dir(home))
	if err == nil {
		err = errors.Join(above.RemoveAll(filepath.Base(home)), above.Close())
	}
	if err != nil {
		return refused(supervisor.CodeUnavailable, "The rows are deleted, and the folder %s could not be: %v. Delete it by hand.", home, err)
	}
	return nil
}

// userDelete is `mews user delete`.
func userDelete(ctx context.Context, con console, v subverb, args []string) error {
	set, file := v.flags(con)
	yes := set.Bool("yes", false, "do not ask")
	name, cfg, err := oneName(set, file, args)
	if err != nil {
		return err
	}
	var there estate
	if err := have(ctx, cfg, methodUserDelete, deletion{User: name, Look: true}, &there); err != nil {
		return err
	}
	if err := printEstate(con.out, name, there); err != nil {
		return err
	}
	if !*yes {
		fmt.Fprintf(con.out, "\nThis can't be taken back; `mews user export %s` writes it down first. What Mews does for them at the moment "+
			"is stopped, as by /stop, and their worker ended. Type the name to delete it all: ", name)
		lines := bufio.NewScanner(con.in)
		if !lines.Scan() || strings.TrimSpace(lines.Text()) != name {
			fmt.Fprintln(con.out)
			return errors.Join(lines.Err(), refused(supervisor.CodeInvalid, "Nothing was deleted: that is not the name."))
		}
	}
	var gone estate
	if err := have(ctx, cfg, methodUserDelete, deletion{User: name}, &gone); err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.out, "%s is deleted. What the audit log says of them stays, and so does a folder outside the state folder that they "+
		"may have had.\n", name)
	return err
}

func printEstate(w io.Writer, name string, e estate) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Of %s there are:\n\n", name)
	for _, table := range slices.Sorted(maps.Keys(e.Rows)) {
		fmt.Fprintf(&b, "  %-14s %s\n", table, amount.Of(int(e.Rows[table]), "row", "rows"))
	}
	if e.Home != "" {
		fmt.Fprintf(&b, "  %s, %s in %s\n", e.Home, size(e.Bytes), amount.Of(int(e.Files), "file", "files"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
