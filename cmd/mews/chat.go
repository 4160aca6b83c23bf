package main

import (
	"context"
	"fmt"
	"strings"

	"mews/cmd/mews/chat"
	"mews/supervisor/app"
)

// chatVerb runs `mews chat`.
func chatVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "chat")
	file := set.String("config", "", flagConfig)
	var o chat.Options
	set.StringVar(&o.User, "user", "", flagChatUser)
	set.StringVar(&o.Chat, "chat", "", flagChatName)
	set.Func("attach", flagChatAttach, func(path string) error {
		o.Attach = append(o.Attach, path)
		return nil
	})
	set.DurationVar(&o.AnswerTimeout, "timeout", 0, flagChatTimeout)
	words, cfg, err := parseClient(set, file, args, 0, maxChatWords)
	if err != nil {
		return err
	}
	if o.Message = strings.TrimSpace(strings.Join(words, " ")); o.Message == "" && len(words) > 0 {
		fmt.Fprintln(con.err, textEmptyMessage)
		return errMisuse
	}
	return chatWith(ctx, con, app.SocketPath(cfg), o)
}

// maxChatWords limits the arguments that are one message.
const maxChatWords = 10_000

// chatWith connects the service at a socket with a terminal, or with lines from a pipe.
func chatWith(ctx context.Context, con console, socket string, o chat.Options) error {
	return chat.Run(ctx, chat.Console{In: con.in, Out: con.out, Err: con.err}, socket, o)
}
