package config

import (
	"encoding/binary"
	"testing"
)

func TestWhisperMemory_FollowsModelSize(t *testing.T) {
	header := func(values ...uint32) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	of := func(layers uint32) []byte {
		return header(0x67676d6c, 51865, 1500, 512, 8, layers, 448, 512, 8, layers, 80, 1)
	}
	const mib = 1 << 20
	for _, test := range []struct {
		name   string
		header []byte
		size   int64
		most   int64 // maximum result in millions of bytes; 0 means that the model is refused
		err    error
	}{
		{"tiny", of(4), 75 * mib, 273, nil},
		{"base", of(6), 142 * mib, 388, nil},
		{"small", of(12), 466 * mib, 852, nil},
		{"small, quantized", of(12), 182 * mib, 555, nil},
		{"medium", of(24), 1536 * mib, 2100, nil},
		{"large", of(32), 2970 * mib, 3900, nil},
		{"large turbo", of(32), 1549 * mib, 2410, nil},
		{"no weights", of(6), 571910, 0, errNoWhisperWeights},
		{"a web page", []byte("<!doctype html><html><head><title>Sign in</title>"), 5000, 0, errNoWhisperModel},
		{"another format", header(0x46554747, 3, 1, 1, 1, 6, 1, 1, 1, 1, 1, 1), 142 * mib, 0, errNoWhisperModel},
		{"a model of something else", of(7), 142 * mib, 0, errNoWhisperModel},
		{"a word", []byte("ggml"), 4, 0, errNoWhisperModel},
		{"nothing", nil, 0, 0, errNoWhisperModel},
	} {
		got, err := WhisperMemoryBytes(test.header, test.size)
		if err != test.err || got > test.most*1e6 || got < (test.most-1)*1e6 {
			t.Errorf("%s: %d, %v; want %d million, %v", test.name, got, err, test.most, test.err)
		}
	}
}
