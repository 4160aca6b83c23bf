package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

func (c *checker) checkState(path, state string) {
	if !filepath.IsAbs(state) {
		c.wrong(path, quote(state), wantState)
		return
	}
	c.protected = append(c.protected, protectedPath{filepath.Join(state, "private"), whatState})
}

// maxFolders is the maximum number of folders of a worker besides the home. It counts the folders
// of all workers and the folders of the worker's user.
const maxFolders = 8

// checkFolders notes folders that no worker may get. Two workspaces must not have the same name,
// because a worker would see only one of them.
func (c *checker) checkFolders(path string, folders []string) {
	names := map[string]string{}
	if len(folders) > maxFolders {
		c.wrong(path, fmt.Sprint(len(folders)), fmt.Sprintf(wantFewFolders, maxFolders))
	}
	for i, folder := range folders {
		at := elementPath(path, i)
		if !filepath.IsAbs(folder) || folder == "/" {
			c.wrong(at, quote(folder), wantFolder)
			continue
		}
		if overlap(folder, c.cfg.State) {
			c.wrong(at, quote(folder), fmt.Sprintf(wantFolderApart, whatState, c.cfg.State))
		}
		seen := folder // workers see a read-only folder at its own path
		if path != "worker.read_only" {
			seen = filepath.Base(folder)
		}
		c.checkUnique(at, seen, quote(folder), wantUnique, names)
	}
}

// checkHomes notes homes that overlap with another home or a protected path. It compares paths as
// written. The code that opens a path has to refuse links.
func (c *checker) checkHomes() {
	for i, u := range c.cfg.Users {
		at := userPath(i) + ".home"
		if !filepath.IsAbs(u.Home) {
			if u.Home != "" {
				c.wrong(at, quote(u.Home), wantAbsolute)
			}
			continue
		}
		for _, p := range c.protected {
			if overlap(u.Home, p.path) {
				c.wrong(at, quote(u.Home), fmt.Sprintf(wantFolderApart, p.what, p.path))
			}
		}
		for j, other := range c.cfg.Users[:i] {
			// two users with one name are another problem, which checkUsers notes
			if overlap(u.Home, other.Home) && u.Name != other.Name {
				c.wrong(at, quote(u.Home), fmt.Sprintf(wantFolderApart, userPath(j)+".home", other.Home))
			}
		}
	}
}

func (c *checker) checkHistoryDir(path, dir string) {
	if dir != "" && (!filepath.IsAbs(dir) || dir == "/") {
		c.wrong(path, quote(dir), wantHistoryDir)
	}
}

// historySuffix ends the name of the folder of a home's file history.
const historySuffix = ".history"

// checkHistories keeps the file histories outside the folders in which programs run.
func (c *checker) checkHistories() {
	histories := cmp.Or(c.cfg.Worker.HistoryDir, filepath.Join(c.cfg.State, "homes"))
	if c.cfg.Worker.History == 0 || !filepath.IsAbs(histories) || histories == "/" {
		return
	}
	for _, g := range c.givenFolders() {
		below, _ := strings.CutPrefix(g.folder, histories+"/")
		first, _, _ := strings.Cut(below, "/")
		within := below != g.folder && strings.HasSuffix(first, historySuffix)
		if filepath.IsAbs(g.folder) && (inside(histories, g.folder) || within) {
			c.wrong(g.path, quote(g.folder), fmt.Sprintf(wantNoHistory, histories))
		}
	}
}

// folderKey is a folder that workers get, and the path of its key.
type folderKey struct{ path, folder string }

// changedFolders lists the folders that workers may change.
func (c *checker) changedFolders() (list []folderKey) {
	for i, u := range c.cfg.Users {
		list = append(list, folderKey{userPath(i) + ".home", u.Home})
		for j, folder := range u.Workspaces {
			list = append(list, folderKey{elementPath(userPath(i)+".workspaces", j), folder})
		}
	}
	return list
}

// givenFolders lists all folders that workers get.
func (c *checker) givenFolders() []folderKey {
	list := c.changedFolders()
	for i, folder := range c.cfg.Worker.ReadOnly {
		list = append(list, folderKey{elementPath("worker.read_only", i), folder})
	}
	return list
}

// checkNested keeps every folder of a worker outside the folders that another worker may change.
// Otherwise that other worker could replace the inner folder. Several users may share one folder.
func (c *checker) checkNested() {
	changed := c.changedFolders()
	for _, g := range c.givenFolders() {
		for _, other := range changed {
			// checkHomes notes two homes that overlap
			homes := strings.HasSuffix(g.path, ".home") && strings.HasSuffix(other.path, ".home")
			if !homes && g.folder != other.folder && filepath.IsAbs(other.folder) && inside(g.folder, other.folder) {
				c.wrong(g.path, quote(g.folder), fmt.Sprintf(wantNotNested, other.path, other.folder))
			}
		}
	}
}

// overlap reports whether one of two clean paths is the other or below it.
func overlap(a, b string) bool {
	return a != "" && b != "" && (inside(a, b) || inside(b, a))
}

// inside reports whether a clean path is dir or below it.
func inside(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
