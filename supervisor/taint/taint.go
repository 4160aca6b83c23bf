// Package taint decides which words of a turn are those of others. A turn is tainted while such
// words are in its request. Then effects have stricter rules, because the author of the words may
// want the effects.
//
// The table of tools and the table of methods say whose words a result or an answer has. Judge adds
// to a tool's result what the supervisor knows from the model's call and from its own rows. A worker
// may add origins, but it can't take one away.
package taint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mews/protocol"
)

// Words says whose words the result of a tool or the answer to a host call has.
type Words int

const (
	// Others means that the words are always those of others.
	Others Words = iota
	// Own means that the words are never those of others. They are those of Mews, the model or the
	// user.
	Own
	// Answered means that the answer to a host call says whose the words are.
	Answered
	// InFiles means that the words are those of the files that the call names.
	InFiles
	// BelowFolder means that the words are those of files in a folder. The result names the files.
	BelowFolder
	// OfProgram means that the words are those of a program, which may read any file.
	OfProgram
	// OfOutput means that the words are those of an earlier result.
	OfOutput
)

// Tool is the row of a tool in the table.
type Tool struct {
	Words Words
	// Private means that the result may have contents of the user's files, memory, history or
	// services. Other members of a group can't read these.
	Private bool
	// File is the path of the file that the tool always reads; "" means none.
	File string
	// Written are the arguments whose texts the tool writes to File. It writes no other words, and
	// none of an answer.
	Written []string
}

// FindTool returns the row of a tool. The words of an unknown tool are those of others.
func FindTool(name string) Tool {
	if t, known := tools[name]; known {
		return t
	}
	return Tool{Words: Others, Private: true}
}

// OwnTools lists the tools whose results never have words of others.
func OwnTools() (names []string) {
	for name, t := range tools {
		if t.Words == Own {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// IsForeignResult reports whether a result may have words of others. It trusts no file of the home.
func IsForeignResult(r protocol.ToolResult) bool { return r.World || FindTool(r.Name).Words != Own }

// PrivateTools lists the tools whose results may have private contents.
func PrivateTools() (names []string) {
	for name, t := range tools {
		if t.Private {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// MarkedFile is a file with words of others.
type MarkedFile struct {
	Path    string   // relative to the home; everything below a folder is marked too
	Origins []string // where the words came from; empty means that only the file is known
}

// Facts are what the supervisor knows when a call has its result.
type Facts struct {
	Turn []string // origins of the words of others in the turn's request; empty means none
	// Arrived means that a file has come into a folder of received files on the user's current day; for
	// an earlier output, on any day.
	Arrived bool
	Marked  []MarkedFile // the user's marked files, without those in folders of received files
	// OwnResults are the results without words of others that the turn's model sees.
	OwnResults []protocol.ToolResult
	Said       string // the user's own words in the turn, for a tool with Written texts
}

// Judge returns the origins of a result, with those that its worker has added. No origins mean that
// the result has no words of others.
func Judge(call protocol.ToolCall, r protocol.ToolResult, f Facts) []string {
	names := NamesOf(call, r)
	origins := slices.Concat(r.Origins, names.origins(f.Marked))
	switch FindTool(call.Name).Words {
	case Others:
		if len(origins) == 0 {
			origins = append(origins, OriginOfTool(call.Name))
		}
	case OfProgram:
		if origins = append(origins, f.Turn...); f.Arrived || mentionsReceived(names.Text) {
			origins = append(origins, OriginReceivedFiles)
		}
	case BelowFolder:
		if mentionsReceived(names.Text) {
			origins = append(origins, OriginReceivedFiles)
		}
	case OfOutput:
		if !isOutputOf(call, f.OwnResults, f.Arrived || len(f.Marked) > 0) {
			origins = append(origins, OriginOfTool(call.Name))
		}
	case Own, Answered, InFiles:
	}
	if r.World && len(origins) == 0 {
		origins = append(origins, OriginOfTool(call.Name))
	}
	return Union(origins)
}

// OriginsOfChange returns the origins of the words in the files that a call has changed. result has
// the origins of the call's result. A tool with Written texts writes words of others only if the
// file had them, or if the turn is tainted and the user has not said the texts.
func OriginsOfChange(call protocol.ToolCall, result []string, f Facts) []string {
	tool := FindTool(call.Name)
	if len(tool.Written) == 0 {
		return Union(Tainting(slices.Concat(result, f.Turn)))
	}
	origins := OriginsOfFiles([]string{tool.File}, f.Marked)
	if !saysArguments(f.Said, call, tool.Written) {
		origins = append(origins, f.Turn...)
	}
	return Union(Tainting(origins))
}

// saysArguments reports whether a text has the words of a call's arguments.
func saysArguments(said string, call protocol.ToolCall, names []string) bool {
	var arguments map[string]any
	if json.Unmarshal(call.Arguments, &arguments) != nil {
		return false
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		text := unescaped(arguments[name])
		return strings.TrimSpace(text) != "" && !Says(said, text)
	})
}

// isOutputOf reports whether a call names the output of one of some results: the blob of a whole
// output, or that of a text which a request has cut. If foreign is true, there are files with words
// of others, which the part that is left out of a search may quote.
func isOutputOf(call protocol.ToolCall, results []protocol.ToolResult, foreign bool) bool {
	var arguments struct{ Output string }
	if json.Unmarshal(call.Arguments, &arguments) != nil || arguments.Output == "" {
		return false
	}
	return slices.ContainsFunc(results, func(r protocol.ToolResult) bool {
		sum := sha256.Sum256([]byte(r.Text))
		known := !foreign || FindTool(r.Name).Words != BelowFolder
		return known && r.Rest != nil && r.Rest.SHA256 == arguments.Output ||
			hex.EncodeToString(sum[:]) == arguments.Output
	})
}

// Names are the files that a call and its result may name.
type Names struct {
	Paths []string // clean paths relative to the home, from the call's arguments
	Text  string   // a text that may name files anywhere; "" means none
}

// OriginsOfFiles returns the origins of the words of others in files. The paths are relative to the
// home and clean.
func OriginsOfFiles(paths []string, marked []MarkedFile) []string {
	return Union(Names{Paths: paths}.origins(marked))
}

// origins returns the origins of the named files that are received or marked.
func (n Names) origins(marked []MarkedFile) (origins []string) {
	for _, p := range n.Paths {
		if IsReceivedPath(p) {
			origins = append(origins, OriginOfFile(p))
		}
	}
	for _, m := range marked {
		if n.has(m.Path) {
			origins = append(append(origins, OriginOfFile(m.Path)), m.Origins...)
		}
	}
	return origins
}

// has reports whether a marked file or folder is among the names. A text names a file also by the
// last element of its path.
func (n Names) has(marked string) bool {
	if n.Text != "" && (strings.Contains(n.Text, marked) || len(path.Base(marked)) >= minBaseBytes &&
		strings.Contains(n.Text, path.Base(marked))) {
		return true
	}
	return slices.ContainsFunc(n.Paths, func(p string) bool {
		return p == marked || strings.HasPrefix(p, marked+"/")
	})
}

// minBaseBytes is the length from which the last element of a path names a file in a text. Shorter
// names are parts of many words.
const minBaseBytes = 4

// pathArguments are the arguments of tools that are paths.
var pathArguments = []string{"path", "paths", "from", "to", "under", "dir", "more", "csv"}

// maxNames bounds the paths of a call. A tool takes fewer.
const maxNames = 100

// NamesOf returns the files that a call and its result may name.
func NamesOf(call protocol.ToolCall, r protocol.ToolResult) (n Names) {
	words := FindTool(call.Name).Words
	if words == Own || words == Answered || words == OfOutput {
		return n
	}
	var arguments map[string]any
	if json.Unmarshal(call.Arguments, &arguments) != nil {
		return n // the worker runs no call whose arguments are no object
	}
	if file := FindTool(call.Name).File; file != "" {
		n.Paths = append(n.Paths, file)
	}
	for _, name := range pathArguments {
		switch value := arguments[name].(type) {
		case string:
			n.Paths = append(n.Paths, CleanPath(value))
		case []any:
			for _, item := range value[:min(len(value), maxNames)] {
				if p, is := item.(string); is {
					n.Paths = append(n.Paths, CleanPath(p))
				}
			}
		}
	}
	switch words {
	case OfProgram:
		n.Text = string(call.Arguments) + "\n" + unescaped(arguments)
	case BelowFolder:
		n.Text = r.Text
	}
	return n
}

// unescaped joins the texts in arguments, without the escapes of JSON.
func unescaped(value any) string {
	switch v := value.(type) {
	case string:
		return v + "\n"
	case []any:
		var all strings.Builder
		for _, item := range v {
			all.WriteString(unescaped(item))
		}
		return all.String()
	case map[string]any:
		var all strings.Builder
		for _, item := range v {
			all.WriteString(unescaped(item))
		}
		return all.String()
	}
	return ""
}

// WithoutTrust returns a worker's result without trusted origins. Only the supervisor trusts one.
func WithoutTrust(r protocol.ToolResult) protocol.ToolResult {
	r.Origins = Tainting(r.Origins)
	if len(r.Origins) == 0 {
		r.Origins = nil
	}
	return r
}

// CleanPath returns a path of a tool's arguments, relative to the home and clean.
func CleanPath(name string) string {
	name = strings.TrimPrefix(path.Clean(strings.TrimSpace(name)), "/home/")
	return strings.TrimPrefix(cmp.Or(name, "."), "./")
}

// receivedFolders are the folders whose files count as words of others, whoever put them there.
var receivedFolders = []string{protocol.UploadsFolder, protocol.DownloadsFolder}

// IsReceivedPath reports whether a path has a folder of received files, or is one. The trash keeps
// the folders' names, so that it counts too.
func IsReceivedPath(name string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(name), "/"), func(part string) bool {
		return slices.Contains(receivedFolders, part)
	})
}

// mentionsReceived reports whether a text may name a file in a folder of received files.
func mentionsReceived(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(receivedFolders, func(folder string) bool { return strings.Contains(text, folder) })
}
