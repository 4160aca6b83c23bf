package doctor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"mews/config"
	"mews/protocol/amount"
)

// ValidateSpeechModel returns an error if recordings can't be transcribed as configured. The
// program or the model may be missing. Or the model may need more memory than a worker has.
func ValidateSpeechModel(cfg *config.Config) error {
	in := cfg.Speech.In
	switch {
	case in.Engine == config.SpeechEngineCommand:
		return checkProgram(in.Command[0])
	case in.Engine == config.SpeechEngineOff || in.Engine == config.SpeechEngineEndpoint || in.Model == "":
		return nil
	}
	memory, err := SpeechModelMemory(in.Model)
	memory += int64(in.Longest.Seconds()) * soundBytes
	if most := int64(cfg.Worker.Memory); err == nil && most > 0 && memory > most {
		err = fmt.Errorf(textSpeechMemory, in.Model, amount.BinarySize(memory), amount.BinarySize(most))
	} else if err != nil {
		err = fmt.Errorf(textSpeechModel, in.Model, err)
	}
	return errors.Join(checkProgram(in.Program), err)
}

// soundBytes is the size of one second of sound for whisper.cpp: 16,000 samples of 16 bits. A
// worker holds the whole sound in its memory.
const soundBytes = 32_000

// SpeechModelMemory returns the memory that a model of whisper.cpp needs, in bytes.
func SpeechModelMemory(model string) (int64, error) {
	file, err := os.Open(model)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	header := make([]byte, config.WhisperHeaderBytes)
	n, _ := io.ReadFull(file, header) // a shorter header is refused below
	if err != nil {
		return 0, err
	}
	return config.WhisperMemoryBytes(header[:n], info.Size())
}

// checkProgram returns an error if a program is in none of the folders that workers see.
func checkProgram(name string) error {
	_, err := FindWorkerProgram(name)
	return err
}

// FindWorkerProgram returns the path at which workers find a program.
func FindWorkerProgram(name string) (path string, err error) {
	if strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	for _, folder := range []string{"/usr/local/bin/", "/usr/bin/", "/bin/"} {
		if path, err := exec.LookPath(folder + name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf(textSpeechProgram, name)
}
