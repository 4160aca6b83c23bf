package main_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/telegram/telegramtest"
)

// botMedia makes the media of a message on the scenarios' Telegram, by kind. value is the text
// after the kind: for a file, its path. Without a path the file has some default content.
var botMedia = map[string]func(ts *testscript.TestScript, value string) telegramtest.MessageOption{
	"photo":    fileOf(telegramtest.WithPhoto),
	"document": fileOf(telegramtest.WithDocument),
	"voice":    recordingOf(telegramtest.WithVoice),
	// A voice message of 3 minutes and 25 seconds.
	"lecture": fileOf(func(f telegramtest.File) telegramtest.MessageOption {
		return telegramtest.WithVoice(f,
			205*time.Second)
	}),
	"audio":      recordingOf(telegramtest.WithAudio),
	"video":      recordingOf(telegramtest.WithVideo),
	"video_note": recordingOf(telegramtest.WithVideoNote),
	"animation":  recordingOf(telegramtest.WithAnimation),
	"sticker": fileOf(func(f telegramtest.File) telegramtest.MessageOption {
		return telegramtest.WithStickerFile(f, "\U0001f985", "static")
	}),
	// A document with value bytes.
	"large": func(ts *testscript.TestScript, value string) telegramtest.MessageOption {
		return telegramtest.WithDocument(telegramtest.File{Name: "large.bin", Size: int64(wholeNumber(ts, value))})
	},

	"location": withoutFile(func(string) telegramtest.MessageOption {
		return telegramtest.WithLocation(40.4168,
			-3.7038)
	}),
	"live_location": withoutFile(func(string) telegramtest.MessageOption {
		return telegramtest.WithLiveLocation(40.4168,
			-3.7038)
	}),
	"venue": withoutFile(func(title string) telegramtest.MessageOption {
		return telegramtest.WithVenue(title, "High Street 1", 40.4168, -3.7038)
	}),
	"contact": withoutFile(func(name string) telegramtest.MessageOption {
		return telegramtest.WithContact(name,
			"+34600000000")
	}),
	"poll": withoutFile(func(question string) telegramtest.MessageOption {
		return telegramtest.WithPoll("regular", question, "yes", "no")
	}),
	"quiz": withoutFile(func(question string) telegramtest.MessageOption {
		return telegramtest.WithPoll("quiz", question, "yes", "no")
	}),
	"dice": withoutFile(func(string) telegramtest.MessageOption {
		return telegramtest.WithDice("\U0001f3af",
			6)
	}),
	"checklist": withoutFile(func(title string) telegramtest.MessageOption {
		return telegramtest.WithChecklist(title, []string{"tea"}, []string{"cake"})
	}),
	"game":       withoutFile(telegramtest.WithGame),
	"story":      withoutFile(func(string) telegramtest.MessageOption { return telegramtest.WithStory(botGroups["clan"]) }),
	"paid_media": withoutFile(func(string) telegramtest.MessageOption { return telegramtest.WithPaidMedia() }),

	"album": withoutFile(telegramtest.WithAlbum),
	"forwarded": withoutFile(func(from string) telegramtest.MessageOption {
		return telegramtest.AsForwardOf(telegramtest.User{ID: 9, First: from}, time.Now())
	}),
}

// withoutFile makes media that have no file.
func withoutFile(show func(string) telegramtest.MessageOption) func(*testscript.TestScript,
	string) telegramtest.MessageOption {
	return func(_ *testscript.TestScript, value string) telegramtest.MessageOption {
		return show(value)
	}
}

func fileOf(show func(telegramtest.File) telegramtest.MessageOption) func(*testscript.TestScript,
	string) telegramtest.MessageOption {
	return func(ts *testscript.TestScript, path string) telegramtest.MessageOption {
		file := telegramtest.File{Name: "file", Content: []byte("some content")}
		if path != "" {
			content, err := os.ReadFile(ts.MkAbs(path))
			ts.Check(err)
			file = telegramtest.File{Name: filepath.Base(path), Content: content}
		}
		return show(file)
	}
}

// recordingOf makes a recording of three seconds.
func recordingOf(show func(telegramtest.File, time.Duration) telegramtest.MessageOption) func(*testscript.TestScript,
	string) telegramtest.MessageOption {
	return fileOf(func(f telegramtest.File) telegramtest.MessageOption { return show(f, 3*time.Second) })
}

// mediaOf reads a word of a script: KIND or KIND=VALUE.
func mediaOf(ts *testscript.TestScript, word string) telegramtest.MessageOption {
	kind, value, _ := strings.Cut(word, "=")
	show := botMedia[kind]
	if show == nil {
		ts.Fatalf("there is no %q; there are %q", kind, slices.Sorted(maps.Keys(botMedia)))
	}
	return show(ts, value)
}
