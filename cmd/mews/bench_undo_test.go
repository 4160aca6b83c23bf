package main

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/worker"
	"mews/worker/tool/files"
	"mews/worker/workspace"
)

// BenchmarkWrite64K measures how a tool overwrites a file of 64 KiB, without and with a copy of the
// old content. The copy is kept on disk and in the database. With the copy, a write may take 3 ms
// longer.
func BenchmarkWrite64K(b *testing.B) {
	b.Run("alone", func(b *testing.B) { benchWrite(b, nil) })
	b.Run("undo", func(b *testing.B) {
		kept, err := spool.Open(filepath.Join(b.TempDir(), "spool"))
		if err != nil {
			b.Fatal(err)
		}
		defer kept.Close()
		db := sqlitetest.Open(b)
		c, err := db.Conversations().FindOrCreate(b.Context(), "ann", supervisor.ChannelTerminal, "", "")
		if err != nil {
			b.Fatal(err)
		}
		in, _, err := db.Inbox().StoreInbound(b.Context(), supervisor.Inbound{Conversation: c, Source: "terminal",
			Key: "1", Kind: supervisor.KindText, Text: "hi"})
		if err != nil {
			b.Fatal(err)
		}
		turn, _, err := db.Turns().Start(b.Context(), in.ID, nil)
		if err != nil {
			b.Fatal(err)
		}
		benchWrite(b, func(ctx context.Context, r io.Reader, most int64) (ref protocol.BlobRef, err error) {
			data, err := io.ReadAll(r)
			if err != nil {
				return ref, err
			}
			// the file's bytes as the worker sends them
			line, err := json.Marshal(protocol.BlobWriteParams{Turn: turn.ID, Blob: 1, Data: data})
			if err != nil {
				return ref, err
			}
			var write protocol.BlobWriteParams
			if err := protocol.DecodeStrict(line, &write); err != nil {
				return ref, err
			}
			w, err := kept.NewWriter()
			if err != nil {
				return ref, err
			}
			if _, err := w.Write(write.Data); err != nil {
				return ref, err
			}
			if ref, err = w.Commit(); err != nil {
				return ref, err
			}
			return ref, db.Blobs().PutFileBackup(ctx, "ann", ref, turn.ID)
		})
	})
}

func benchWrite(b *testing.B, keep func(context.Context, io.Reader, int64) (protocol.BlobRef, error)) {
	ws, err := workspace.Open(b.TempDir(), protocol.FilePolicy{})
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	var arguments [2]json.RawMessage // the writes alternate between two contents
	for i, letter := range []string{"a", "b"} {
		arguments[i], _ = json.Marshal(map[string]any{"path": "a.txt", "content": strings.Repeat(letter, 64<<10), "overwrite": true})
	}
	for _, tool := range files.Tools(ws, time.Now, nil) {
		if tool.Name != "write_file" {
			continue
		}
		for i := 0; b.Loop(); i++ {
			if _, err := tool.Run(b.Context(), worker.Call{Arguments: arguments[i%2], KeepBefore: keep}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
