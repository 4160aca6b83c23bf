package receive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/tool/files"
	"mews/worker/tool/images"
	"mews/worker/workspace"
)

const (
	// maxUnasked is the longest recording that is transcribed without a request.
	maxUnasked = 10 * time.Minute
	maxFrame   = 20 << 20 // maximum bytes of a film's frame
	maxProbe   = 1 << 20  // maximum bytes of ffprobe's answer
)

// input are ffmpeg's options for a hostile file: no playlist that names other files, one thread,
// and no picture over 50 million pixels.
var input = []string{"-v", "error", "-protocol_whitelist", "file", "-format_whitelist",
	"mov,matroska,ogg,mp3,wav,flac,aac,avi,gif,mpegts,mpeg,asf,amr,aiff,caf", "-threads", "1", "-max_pixels", "50000000"}

// media is the answer of ffprobe.
type media struct {
	Streams []stream `json:"streams"`
	Format  struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

type stream struct {
	Kind        string `json:"codec_type"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Disposition struct {
		Cover int `json:"attached_pic"`
	} `json:"disposition"`
	Shown []struct {
		Rotation int `json:"rotation"` // rotation in degrees
	} `json:"side_data_list"`
}

// findStream returns the first stream of a kind that is not an album cover.
func (m media) findStream(kind string) (stream, bool) {
	i := slices.IndexFunc(m.Streams, func(s stream) bool { return s.Kind == kind && s.Disposition.Cover == 0 })
	if i < 0 {
		return stream{}, false
	}
	return m.Streams[i], true
}

func (m media) has(kind string) bool {
	_, found := m.findStream(kind)
	return found
}

// size returns the length, and the size of a film as shown: phones record films in landscape, with
// a note to rotate them.
func (m media) size() protocol.MediaSize {
	s, _ := m.findStream("video")
	for _, shown := range s.Shown {
		if shown.Rotation%180 != 0 {
			s.Width, s.Height = s.Height, s.Width
		}
	}
	return protocol.MediaSize{Seconds: m.seconds(), Width: s.Width, Height: s.Height}
}

// measureTimeout bounds the measuring of a file. After this time the file is sent without its size.
const measureTimeout = 10 * time.Second

// MeasureMedia returns the length and size of a recording or film of the home. The zero value
// stands for any other file, and for a file that cannot be read.
func MeasureMedia(ctx context.Context, home *workspace.Workspace, programs Programs, path string) protocol.MediaSize {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	f := &reading{receiver: &receiver{Options: Options{Programs: programs}}, path: "./" + path}
	file, err := home.Open(path)
	if err != nil {
		return protocol.MediaSize{}
	}
	defer file.Close() // a failed Close loses nothing, because the file was only read
	head := make([]byte, files.HeadSize)
	n, _ := io.ReadFull(file, head) // an error means only that the file is short
	if kind := files.FileKind(head[:n]); !strings.HasSuffix(kind, " recording") && !strings.HasSuffix(kind, " video") {
		return protocol.MediaSize{}
	}
	m, err := f.probe(ctx)
	if size := m.size(); err == nil && size.Validate() == nil {
		return size
	}
	return protocol.MediaSize{}
}

// padding is silence that codecs add at the end of a recording. Players do not show it.
const padding = 100 * time.Millisecond

// seconds returns the length in seconds, without the padding and rounded up; 0 if it is not known.
func (m media) seconds() int {
	length, err := strconv.ParseFloat(m.Format.Duration, 64)
	if err != nil || !(length > 0 && length < 1e7) {
		return 0
	}
	return max(1, int(math.Ceil(length-padding.Seconds())))
}

// probe asks ffprobe about the file.
func (f *reading) probe(ctx context.Context) (m media, err error) {
	out := &boundedBuffer{most: maxProbe}
	args := append(input[:len(input):len(input)], "-show_entries", "format=duration:stream=codec_type,width,height:"+
		"stream_disposition=attached_pic:stream_side_data=rotation", "-of", "json", f.path)
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
		// no error here: the transcription reports missing programs
		m.Format.Duration = strconv.Itoa(f.arrived.Seconds)
	case err != nil:
		return err
	case m.has("video"):
		return f.showFilm(ctx, m)
	}
	seconds := m.seconds()
	if seconds == 0 {
		seconds = f.arrived.Seconds
	}
	if length := time.Duration(seconds) * time.Second; length > maxUnasked {
		f.addName(f.kind+", "+amount.FormatDuration(length), textLongRecording)
		return nil
	}
	f.result.Seconds = seconds
	return nil
}

// readRecording reads a voice message or a round video: its transcript replaces the file. The
// length comes from ffprobe. Without ffprobe it is the length that the sender states.
func readRecording(ctx context.Context, f *reading) error {
	m, err := f.probe(ctx)
	if f.result.Seconds = m.seconds(); f.result.Seconds > 0 {
		return nil
	}
	if f.result.Seconds = f.arrived.Seconds; f.result.Seconds > 0 {
		return nil // the transcription reports faults of the recording
	}
	return cmp.Or(err, errors.New(textDamaged))
}

// showFilm shows a frame of a film, and asks for a transcript of its sound.
func (f *reading) showFilm(ctx context.Context, m media) error {
	seconds := m.seconds()
	if m.has("audio") && f.arrived.Kind != protocol.AttachmentSticker {
		f.result.Seconds = seconds
	}
	kind := f.kind
	if seconds > 0 {
		kind += ", " + amount.FormatDuration(time.Duration(seconds)*time.Second)
	}
	shown, err := f.extractFrame(ctx, min(1, float64(seconds)/4))
	if err != nil {
		return err
	}
	return f.showFrame(ctx, kind, textFrame, shown)
}

// extractFrame returns the file's frame at the second at; nil if the message may not show another
// picture.
func (f *reading) extractFrame(ctx context.Context, at float64) (*images.ShownPicture, error) {
	if f.imageRoom == 0 {
		return nil, nil
	}
	args := append([]string{"-nostdin"}, input...)
	args = append(args, "-ss", strconv.FormatFloat(at, 'f', 2, 64), "-i", f.path, "-frames:v", "1", "-an", "-sn", "-dn",
		"-vf", "scale=w='min(1568,iw)':h='min(1568,ih)':force_original_aspect_ratio=decrease", "-threads", "1",
		"-c:v", "mjpeg", "-q:v", "4", "-pix_fmt", "yuvj420p", "-f", "image2pipe", "pipe:1")
	data := &boundedBuffer{most: maxFrame}
	if err := f.run(ctx, data, "ffmpeg", args...); err != nil {
		return nil, err
	}
	shown, err := f.Pictures.ShowPicture(ctx, &data.taken)
	if err != nil {
		return nil, errors.New(textDamaged)
	}
	return &shown, nil
}

// showFrame adds a frame below a line that names the file.
func (f *reading) showFrame(ctx context.Context, kind, more string, shown *images.ShownPicture) error {
	if shown == nil {
		f.addName(kind, fmt.Sprintf(textManyImages, protocol.MaxResultImages))
		return nil
	}
	f.addName(kind, more)
	return f.show(ctx, *shown)
}
