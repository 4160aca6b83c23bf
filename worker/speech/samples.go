package speech

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// rate is the number of samples in a second, as whisper needs it. A sample is a signed 16-bit
// number, in one channel.
const rate = 16_000

const sampleSize = 2 // bytes of one sample

// sampleFile hold the sound of a recording, in a file without a header.
type sampleFile struct {
	file          *os.File
	length        int64 // length of the recording, in samples
	statedSeconds int   // length in seconds stated by the channel, which may omit a fraction
}

// openSamples opens the samples. The caller closes them.
func openSamples(name string, most int) (*sampleFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &sampleFile{f, info.Size() / sampleSize, most}, nil
}

// Close closes the file. Close of a nil *samples does nothing.
func (s *sampleFile) Close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}

// writeWAV writes a part of the sound to a WAV file, and replaces the file.
func (s *sampleFile) writeWAV(name string, part span) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write a piece: %w", err)
	}
	size := (part.end - part.begin) * sampleSize
	_, err = f.Write(wavHeader(uint32(size)))
	if err == nil {
		_, err = io.Copy(f, io.NewSectionReader(s.file, part.begin*sampleSize, size))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write a piece: %w", err)
	}
	return nil
}

// wavHeader returns the header of a WAV file with that many bytes of samples (RIFF WAVE, format 1:
// PCM).
func wavHeader(size uint32) []byte {
	h := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+size)...)
	h = append(h, "WAVEfmt "...)
	for _, v := range []uint32{16, 1<<16 | 1, rate, rate * sampleSize, 8*sampleSize<<16 | sampleSize} {
		h = binary.LittleEndian.AppendUint32(h, v) // two of these values hold two 16-bit numbers each
	}
	return binary.LittleEndian.AppendUint32(append(h, "data"...), size)
}

// quietWindow is the length of the moment that is compared for a cut in speech without silence.
const quietWindow = rate / 10

// quietest returns the middle of the quietest moment of a part, or the part's end after a read
// error.
func (s *sampleFile) quietest(part span) int64 {
	from := bufio.NewReaderSize(io.NewSectionReader(s.file, part.begin*sampleSize, (part.end-part.begin)*sampleSize), 64<<10)
	at, least, window := part.end, int64(-1), make([]byte, quietWindow*sampleSize)
	for begin := part.begin; begin+quietWindow <= part.end; begin += quietWindow {
		if _, err := io.ReadFull(from, window); err != nil {
			break
		}
		loudness := int64(0)
		for i := 0; i < len(window); i += sampleSize {
			v := int64(int16(binary.LittleEndian.Uint16(window[i:])))
			loudness += v * v
		}
		if least < 0 || loudness < least {
			at, least = begin+quietWindow/2, loudness
		}
	}
	return at
}

// seconds returns the length of that many samples, at most the stated length.
func (s *sampleFile) seconds(of int64) int { return min(seconds(of), s.statedSeconds) }

// duration returns the length of that many samples.
func duration(samples int64) time.Duration { return time.Duration(samples) * time.Second / rate }

// seconds returns the length of that many samples, rounded up.
func seconds(samples int64) int { return int((samples + rate - 1) / rate) }
