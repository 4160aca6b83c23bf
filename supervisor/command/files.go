package command

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// Uploads are the files that users have sent. The users' workers store them. The errors are texts
// for users.
type Uploads interface {
	// List lists the newest files after the file with key. If that file is gone, List skips offset
	// files instead.
	List(ctx context.Context, user, key string, offset int) (protocol.UploadsResult, error)
	// Send returns the file with a key, for sending. Its name is "" if the file is gone.
	Send(ctx context.Context, user, key string) (supervisor.File, error)
	// Delete moves the file with a key to the trash and returns its path. "" means that the file is
	// gone.
	Delete(ctx context.Context, user, key string) (path string, err error)
}

// Presses of the buttons of /files: an action, and a file or the beginning of a page.
const (
	filesPrefix = "f:"
	pressSend   = "send "
	pressDelete = "delete "
	pressPage   = "from "
)

var filesRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "files", Help: "the files that you have sent, newest first; buttons " +
		"send one back or delete it"},
		group: feature.HelpGroupEveryday, run: files, private: feature.AlwaysPrivateAnswer, prefix: filesPrefix,
		press: pressFiles,
		keeps: func(press string) bool { return !strings.HasPrefix(press, pressPage) }},
}

// files lists the newest files.
func files(ctx context.Context, c *Commands, r feature.CommandRequest) (supervisor.Delivery, error) {
	return c.listFiles(ctx, r, "", 0)
}

// pressFiles runs the action of a button below the list of /files.
func pressFiles(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	user := r.Conversation.User
	if key, ok := strings.CutPrefix(r.Arguments, pressSend); ok {
		file, err := c.o.Uploads.Send(ctx, user, key)
		if err != nil || file.Name == "" {
			return supervisor.Delivery{Text: textFileGone}, err
		}
		return supervisor.Delivery{Files: []supervisor.File{file}}, nil
	}
	if key, ok := strings.CutPrefix(r.Arguments, pressDelete); ok {
		gone, err := c.o.Uploads.Delete(ctx, user, key)
		if err != nil || gone == "" {
			return supervisor.Delivery{Text: textFileGone}, err
		}
		return supervisor.Delivery{Text: fmt.Sprintf(textFileDeleted, markdown.EscapeName(gone))}, nil
	}
	at, key, _ := strings.Cut(strings.TrimPrefix(r.Arguments, pressPage), " ")
	offset, err := strconv.Atoi(at)
	if err != nil {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	return c.listFiles(ctx, r, key, offset)
}

// listFiles lists a page of a user's files, with buttons for each file.
func (c *Commands) listFiles(ctx context.Context, r feature.CommandRequest, behind string, offset int) (
	d supervisor.Delivery, err error) {
	page, err := c.o.Uploads.List(ctx, r.Conversation.User, behind, offset)
	if err != nil || len(page.Files) == 0 {
		return supervisor.Delivery{Text: textNoFiles}, err
	}
	key, sends := "", r.Conversation.Channel.Capabilities().Files
	d.Text = fmt.Sprintf(textFiles, amount.Plural(page.Total, "file", "files"))
	for i, f := range page.Files {
		n, name := page.From+i+1, f.Path
		key = protocol.UploadKey(f.Path)
		row := []supervisor.Button{{Text: fmt.Sprintf(textDeleteButton, n), Press: filesPrefix + pressDelete + key}}
		if sends {
			name = path.Base(f.Path)
			row = append([]supervisor.Button{{Text: fmt.Sprintf(textSendButton, n), Press: filesPrefix + pressSend + key}}, row...)
		}
		d.Text += fmt.Sprintf(textFileLine, n, markdown.EscapeName(name), amount.FormatBytes(f.Size), f.SentAt)
		d.Buttons = append(d.Buttons, row)
	}
	if next := page.From + len(page.Files); next < page.Total {
		press := fmt.Sprint(filesPrefix, pressPage, next, " ", key)
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: textOlderButton, Press: press}})
	}
	return d, nil
}
