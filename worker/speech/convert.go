package speech

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker/program"
)

// Recordings are cut in silences, and the recogniser skips silences. The limit is 50 dB below the
// loudest possible sound: about the noise of a quiet room.
const silenceFilter = "silencedetect=noise=-50dB:d=0.3"

// maxSilences bounds the silences that are kept of a recording.
const maxSilences = 100_000

// containers are the file formats that ffmpeg may read. They include no lists and scripts, because
// these can name other files.
const containers = "ogg,mp3,mov,matroska,wav,flac,aac,amr,aiff,au,caf,avi,mpegts,mpeg,asf,flv,w64"

// nice is the low priority of all programs here, because answers to users come first.
const nice = 15

// convert converts a recording to samples, and finds its silences.
func (t *Transcriber) convert(ctx context.Context, p protocol.TranscribeParameters) (*sampleFile, []span, error) {
	f, err := t.Files.Open(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &speechError{protocol.SpeechFailureNoFile, err.Error()}
	}
	if err != nil {
		return nil, nil, &speechError{protocol.SpeechFailureNoSound, err.Error()}
	}
	_ = f.Close() // Open only checked the file; ffmpeg opens it itself, within the same walls
	clean, err := t.Files.CleanPath(p.Path)
	if err != nil {
		return nil, nil, err
	}
	raw := filepath.Join(t.Temp, "sound.pcm")
	var found silenceParser
	heard := &stderrParser{onLine: found.parseLine}
	err = t.Programs.Run(ctx, program.Program{
		Name: "ffmpeg", Nice: nice, Timeout: time.Minute + time.Duration(p.Seconds)*time.Second, Stderr: heard,
		Args: []string{"-hide_banner", "-nostdin", "-nostats", "-protocol_whitelist", "file", "-format_whitelist", containers,
			"-i", "file:" + filepath.Join(t.Home, clean), "-map", "0:a:0", "-t", strconv.Itoa(p.Seconds + 2), "-af", silenceFilter,
			"-ac", "1", "-ar", strconv.Itoa(rate), "-f", "s16le", "-y", "file:" + raw},
	})
	if err != nil {
		err = heard.failureOf(ctx, err, protocol.SpeechFailureNoFFmpeg)
		if failed, ok := errors.AsType[*speechError](err); ok && failed.kind == protocol.SpeechFailureProgramFailed &&
			!strings.Contains(heard.last, "No space left") {
			failed.kind = protocol.SpeechFailureNoSound
		}
		return nil, nil, err
	}
	sound, err := openSamples(raw, p.Seconds)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && sound.length == 0:
		err = &speechError{protocol.SpeechFailureNoSound, "there is no sound in it"}
	case err == nil && sound.length > int64(p.Seconds+1)*rate:
		err = &speechError{protocol.SpeechFailureTooLong, fmt.Sprintf("longer than %d s", p.Seconds)}
	}
	if err != nil {
		return nil, nil, errors.Join(err, sound.Close())
	}
	return sound, found.silencesUntil(sound.length), nil
}

// silenceParser reads the lines of ffmpeg's silencedetect:
//
//	[silencedetect @ 0x55c3] silence_start: 2.08136
//	[silencedetect @ 0x55c3] silence_end: 2.38236 | silence_duration: 0.300998
type silenceParser struct {
	silences []span
	open     bool // the last silence has no end yet
}

// parseLine reads a line of any content.
func (s *silenceParser) parseLine(line string) {
	if !strings.HasPrefix(line, "[silencedetect") {
		return
	}
	if at, ok := secondsAfter(line, "silence_start: "); ok && !s.open && len(s.silences) < maxSilences {
		s.silences, s.open = append(s.silences, span{begin: s.skipSilence(at)}), true
	}
	if at, ok := secondsAfter(line, "silence_end: "); ok && s.open {
		last := &s.silences[len(s.silences)-1]
		last.end, s.open = max(last.begin, at), false
	}
}

// skipSilence returns at, or the end of the newest silence if that is later.
func (s *silenceParser) skipSilence(at int64) int64 {
	if len(s.silences) == 0 {
		return at
	}
	return max(at, s.silences[len(s.silences)-1].end)
}

// silencesUntil returns the silences of a recording with that many samples.
func (s *silenceParser) silencesUntil(length int64) []span {
	for i := range s.silences {
		one := &s.silences[i]
		if s.open && i == len(s.silences)-1 {
			one.end = length
		}
		one.begin, one.end = min(one.begin, length), min(one.end, length)
	}
	return s.silences
}

// maxSeconds is the largest believable time: a thousand hours.
const maxSeconds = 3_600_000

// secondsAfter returns the time after a word, in samples. A negative time becomes 0.
func secondsAfter(line, word string) (at int64, ok bool) {
	_, rest, found := strings.Cut(line, word)
	text, _, _ := strings.Cut(rest, " ")
	value, err := strconv.ParseFloat(text, 64)
	if !found || err != nil || !(value < maxSeconds) {
		return 0, false
	}
	return int64(max(value, 0) * rate), true
}
