package protocol

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ChartsFolder is the folder of the home with charts.
const ChartsFolder = "charts"

// MethodChatPictures sends pictures that a tool call has left in ChartsFolder to the turn's chat.
// It is a call during a turn of a chat or a job, one at a time, at most MaxPictureCallsPerTurn
// times in a turn. Nobody is asked: in a group, or if the user's rules want a question, nothing is
// sent. A repeated call sends nothing again. Its error tells the model in words why nothing was
// sent.
//
//	{"turn":8,"call":"c5","files":[{"blob":{"sha256":"ab","size":9},"name":"a.png","path":"charts/a.png"}]}
//	{"unsent":"only send_file sends pictures to a group"}
const MethodChatPictures = "chat.pictures"

// Limits of pictures that tools leave in ChartsFolder.
const (
	MaxPictureCallsPerTurn = 20 // calls of chat.pictures in one turn
	MaxPicturesPerCall     = 4
)

// PictureTools lists the tools whose pictures MethodChatPictures sends.
var PictureTools = []string{"plot_chart", "run_python"}

// ChatPicturesParams names the tool call and its pictures. They have no captions.
type ChatPicturesParams struct {
	Turn  int64      `json:"turn"`
	Call  string     `json:"call"`
	Files []ChatFile `json:"files"`
}

// ChatPicturesResult is the result of chat.pictures.
type ChatPicturesResult struct {
	Unsent string `json:"unsent,omitempty"` // why nothing was sent, for the model; "" means that all were queued
}

// Validate returns an error for pictures that no honest worker sends.
func (s ChatPicturesParams) Validate() error {
	if n := len(s.Files); n < 1 || n > MaxPicturesPerCall {
		return fmt.Errorf("files: %d, want 1 to %d", n, MaxPicturesPerCall)
	}
	for _, f := range s.Files {
		if err := f.check(); err != nil {
			return err
		}
		if !IsChartPath(f.Path) || f.Caption != "" {
			return fmt.Errorf("path: %.80q, caption %.80q", f.Path, f.Caption)
		}
	}
	return nil
}

// IsChartPath reports whether a path is that of a picture in ChartsFolder.
func IsChartPath(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg":
		return fs.ValidPath(name) && strings.HasPrefix(name, ChartsFolder+"/")
	}
	return false
}
