package main

import (
	"context"

	"mews/cmd/mews/chat"
)

// chatVerb is `mews chat`.
func chatVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "chat")
	file := set.String("config", "", "the configuration `FILE`")
	var o chat.Options
	set.StringVar(&o.User, "user", "", "speak as the user of this `NAME` (admins only)")
	set.StringVar(&o.Chat, "chat", "", "a conversation of its own, by `NAME`, beside the usual one")
	if err := parse(set, args); err != nil {
		return err
	}
	socket, err := findService(*file)
	if err != nil {
		return err
	}
	return talk(ctx, con, socket, o)
}

// talk is with the service at a socket: with a person at a terminal, or with lines in a pipe.
func talk(ctx context.Context, con console, socket string, o chat.Options) error {
	return chat.Run(ctx, chat.Console{In: con.in, Out: con.out, Err: con.err}, socket, o)
}
