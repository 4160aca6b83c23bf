package receive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
)

const (
	// maxUnasked is the longest recording that is transcribed unless somebody asks for it.
	maxUnasked = 10 * time.Minute
	maxFrame   = 20 << 20 // bytes
	maxProbe   = 1 << 20  // bytes of ffprobe's answer
)

// input are ffmpeg's options for a hostile file: no playlist that names other files, one thread, and no picture that is larger
// than 50 million pixels.
var input = []string{"-v", "error", "-protocol_whitelist", "file", "-format_whitelist",
	"mov,matroska,ogg,mp3,wav,flac,aac,avi,gif,mpegts,mpeg,asf,amr,aiff,caf", "-threads", "1", "-max_pixels", "50000000"}

// media is what ffprobe finds in a file.
type media struct {
	Streams []struct {
		Kind        string `json:"codec_type"`
		Disposition struct {
			Cover int `json:"attached_pic"`
		} `json:"disposition"`
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

// has says whether there is a stream of a kind that is no cover of an album.
func (m media) has(kind string) bool {
	for _, s := range m.Streams {
		if s.Kind == kind && s.Disposition.Cover == 0 {
			return true
		}
	}
	return false
}

// seconds is the length, rounded up; 0 is not known.
func (m media) seconds() int {
	length, err := strconv.ParseFloat(m.Format.Duration, 64)
	if err != nil || !(length > 0 && length < 1e7) {
		return 0
	}
	return int(math.Ceil(length))
}

// probe looks what is in the file.
func (f *reading) probe(ctx context.Context) (m media, err error) {
	out := &boundedBuffer{most: maxProbe}
	args := append(input[:len(input):len(input)], "-show_entries", "format=duration:stream=codec_type:stream_disposition=attached_pic",
		"-of", "json", f.path)
	if err := f.run(ctx, out, "ffprobe", args...); err != nil {
		return m, err
	}
	if err := json.Unmarshal(out.taken.Bytes(), &m); err != nil || len(m.Streams) == 0 {
		return m, errors.New(textDamaged)
	}
	return m, nil
}

// readMedia reads a recording or a film.
func readMedia(ctx context.Context, f *reading) error {
	m, err := f.probe(ctx)
	switch {
	case errors.As(err, new(missingProgram)) && f.arrived.Kind == protocol.AttachmentAudio:
		m.Format.Duration = strconv.Itoa(f.arrived.Seconds) // what transcribes it says what is missing
	case err != nil:
		return err
	case m.has("video"):
		return f.film(ctx, m)
	}
	seconds := m.seconds()
	if seconds == 0 {
		seconds = f.arrived.Seconds
	}
	if length := time.Duration(seconds) * time.Second; length > maxUnasked {
		f.name(f.kind+", "+amount.Duration(length), textLongRecording)
		return nil
	}
	f.result.Seconds = seconds
	return nil
}

// readRecording is for a voice message or a round video: what is said in it stands for it.
func readRecording(ctx context.Context, f *reading) error {
	if f.result.Seconds = f.arrived.Seconds; f.result.Seconds > 0 {
		return nil
	}
	m, err := f.probe(ctx)
	f.result.Seconds = m.seconds()
	if err == nil && f.result.Seconds == 0 {
		err = errors.New(textDamaged)
	}
	return err
}

// film shows a frame of a film, and has its sound transcribed.
func (f *reading) film(ctx context.Context, m media) error {
	seconds := m.seconds()
	if m.has("audio") && f.arrived.Kind != protocol.AttachmentSticker {
		f.result.Seconds = seconds
	}
	kind := f.kind
	if seconds > 0 {
		kind += ", " + amount.Duration(time.Duration(seconds)*time.Second)
	}
	return f.frame(ctx, kind, min(1, float64(seconds)/4), "")
}

// frame shows a frame of the file, at so many seconds.
func (f *reading) frame(ctx context.Context, kind string, at float64, filter string) error {
	if f.imageRoom == 0 {
		f.name(kind, fmt.Sprintf(textManyImages, protocol.MaxImages))
		return nil
	}
	args := append([]string{"-nostdin"}, input...)
	args = append(args, "-ss", strconv.FormatFloat(at, 'f', 2, 64), "-i", f.path, "-map", "0:v:0", "-frames:v", "1", "-an", "-sn", "-dn",
		"-vf", filter+"scale=w='min(1568,iw)':h='min(1568,ih)':force_original_aspect_ratio=decrease", "-threads", "1",
		"-c:v", "mjpeg", "-q:v", "4", "-pix_fmt", "yuvj420p", "-f", "image2pipe", "pipe:1")
	data := &boundedBuffer{most: maxFrame}
	if err := f.run(ctx, data, "ffmpeg", args...); err != nil {
		return err
	}
	shown, err := f.Pictures.Show(ctx, &data.taken)
	if err != nil {
		return errors.New(textDamaged)
	}
	f.name(kind, textFrame)
	return f.show(ctx, shown)
}

// readHEIC shows a phone's picture as ffmpeg reads it.
func readHEIC(ctx context.Context, f *reading) error {
	return f.frame(ctx, f.kind, 0, "")
}
