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
var botMedia = map[string]func(ts *testscript.TestScript, value string) telegramtest.Field{
	"photo":    fileOf(telegramtest.Photo),
	"document": fileOf(telegramtest.Document),
	"voice":    recordingOf(telegramtest.Voice),
	// A voice message of 3:25.
	"lecture": fileOf(func(f telegramtest.File) telegramtest.Field {
		return telegramtest.Voice(f,
			205*time.Second)
	}),
	"audio":      recordingOf(telegramtest.Audio),
	"video":      recordingOf(telegramtest.Video),
	"video_note": recordingOf(telegramtest.VideoNote),
	"animation":  recordingOf(telegramtest.Animation),
	"sticker": fileOf(func(f telegramtest.File) telegramtest.Field {
		return telegramtest.StickerOf(f, "\U0001f985", "static")
	}),
	// A document with value bytes.
	"large": func(ts *testscript.TestScript, value string) telegramtest.Field {
		return telegramtest.Document(telegramtest.File{Name: "large.bin", Size: int64(wholeNumber(ts, value))})
	},

	"location": withoutFile(func(string) telegramtest.Field { return telegramtest.Location(40.4168, -3.7038) }),
	"live_location": withoutFile(func(string) telegramtest.Field {
		return telegramtest.LiveLocation(40.4168,
			-3.7038)
	}),
	"venue": withoutFile(func(title string) telegramtest.Field {
		return telegramtest.Venue(title, "High Street 1", 40.4168, -3.7038)
	}),
	"contact":    withoutFile(func(name string) telegramtest.Field { return telegramtest.Contact(name, "+34600000000") }),
	"poll":       withoutFile(func(question string) telegramtest.Field { return telegramtest.Poll("regular", question, "yes", "no") }),
	"quiz":       withoutFile(func(question string) telegramtest.Field { return telegramtest.Poll("quiz", question, "yes", "no") }),
	"dice":       withoutFile(func(string) telegramtest.Field { return telegramtest.Dice("\U0001f3af", 6) }),
	"checklist":  withoutFile(func(title string) telegramtest.Field { return telegramtest.Checklist(title, "cake") }),
	"story":      withoutFile(func(string) telegramtest.Field { return telegramtest.Story(botGroups["clan"]) }),
	"paid_media": withoutFile(func(string) telegramtest.Field { return telegramtest.PaidMedia() }),

	"album": withoutFile(telegramtest.Group),
	"forwarded": withoutFile(func(from string) telegramtest.Field {
		return telegramtest.ForwardOf(telegramtest.User{ID: 9, First: from}, time.Now())
	}),
}

// withoutFile makes media that have no file.
func withoutFile(show func(string) telegramtest.Field) func(*testscript.TestScript, string) telegramtest.Field {
	return func(_ *testscript.TestScript, value string) telegramtest.Field { return show(value) }
}

func fileOf(show func(telegramtest.File) telegramtest.Field) func(*testscript.TestScript, string) telegramtest.Field {
	return func(ts *testscript.TestScript, path string) telegramtest.Field {
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
func recordingOf(show func(telegramtest.File, time.Duration) telegramtest.Field) func(*testscript.TestScript, string) telegramtest.Field {
	return fileOf(func(f telegramtest.File) telegramtest.Field { return show(f, 3*time.Second) })
}

// mediaOf reads a word of a script: KIND or KIND=VALUE.
func mediaOf(ts *testscript.TestScript, word string) telegramtest.Field {
	kind, value, _ := strings.Cut(word, "=")
	show := botMedia[kind]
	if show == nil {
		ts.Fatalf("there is no %q; there are %q", kind, slices.Sorted(maps.Keys(botMedia)))
	}
	return show(ts, value)
}
