package config

import (
	"encoding/binary"
	"errors"
)

// WhisperHeaderBytes is the number of bytes that WhisperMemoryBytes reads. They are the beginning
// of a model file.
const WhisperHeaderBytes = 48

var (
	errNoWhisperModel   = errors.New("it is no model of whisper.cpp (ggml)")
	errNoWhisperWeights = errors.New("it has a model's header, and not its weights: it was not loaded to its end")
)

// whisperModel is a row of whisper.cpp's own table of models (its README, "Memory usage"), in
// bytes.
type whisperModel struct{ disk, memory int64 }

// whisperModels has whisper.cpp's models by the number of layers of their encoder: tiny, base,
// small, medium and large.
var whisperModels = map[uint32]whisperModel{
	4:  {75 << 20, 273e6},
	6:  {142 << 20, 388e6},
	12: {466 << 20, 852e6},
	24: {1536 << 20, 2100e6},
	32: {2970 << 20, 3900e6},
}

// WhisperMemoryBytes returns the memory that whisper.cpp needs with a model, in bytes. It reads the
// first WhisperHeaderBytes bytes and the size of the file. A quantized model needs less, in
// proportion to its size. WhisperMemoryBytes refuses other files, and models without weights.
func WhisperMemoryBytes(header []byte, size int64) (int64, error) {
	// magic is "ggml". layers is the position of the number n_audio_layer in the header, from 1.
	const magic, layers = 0x67676d6c, 5
	if len(header) < WhisperHeaderBytes || binary.LittleEndian.Uint32(header) != magic {
		return 0, errNoWhisperModel
	}
	model, known := whisperModels[binary.LittleEndian.Uint32(header[4*layers:])]
	switch {
	case !known:
		return 0, errNoWhisperModel
	case size < model.disk/8: // a quantized weight has at least 4 bits instead of 16
		return 0, errNoWhisperWeights
	}
	return model.memory - model.disk + size, nil
}
