package config

import (
	"encoding/binary"
	"errors"
)

// WhisperHeader is how much of a model's beginning WhisperMemory needs, in bytes.
const WhisperHeader = 48

var (
	errNoWhisperModel   = errors.New("it is no model of whisper.cpp (ggml)")
	errNoWhisperWeights = errors.New("it has a model's header, and not its weights: it was not loaded to its end")
)

// whisperModel is a row of whisper.cpp's own table of models (its README, "Memory usage"), in
// bytes.
type whisperModel struct{ disk, memory int64 }

// whisperModels has whisper.cpp's models by how many layers their encoder has: tiny, base, small,
// medium and large.
var whisperModels = map[uint32]whisperModel{
	4:  {75 << 20, 273e6},
	6:  {142 << 20, 388e6},
	12: {466 << 20, 852e6},
	24: {1536 << 20, 2100e6},
	32: {2970 << 20, 3900e6},
}

// WhisperMemory is how much memory whisper.cpp takes with a model, in bytes, from the file's first
// WhisperHeader bytes and its size. A quantized model takes as much less as its file is smaller. It
// refuses what is no such model, and one without weights.
func WhisperMemory(header []byte, size int64) (int64, error) {
	// "ggml"; which of the numbers that follow is n_audio_layer, from 1
	const magic, layers = 0x67676d6c, 5
	if len(header) < WhisperHeader || binary.LittleEndian.Uint32(header) != magic {
		return 0, errNoWhisperModel
	}
	model, known := whisperModels[binary.LittleEndian.Uint32(header[4*layers:])]
	switch {
	case !known:
		return 0, errNoWhisperModel
	case size < model.disk/8: // a weight has 4 bits at least, of 16
		return 0, errNoWhisperWeights
	}
	return model.memory - model.disk + size, nil
}
