package voice

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/claim"
	"mews/supervisor/internal/retry"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

// recordingInterval is how often the chat action "recording" is repeated. (Bot API, sendChatAction:
// it lasts 5 seconds or less.)
const recordingInterval = 4 * time.Second

// Run makes recordings of all answers that wait for a recording, until ctx ends. It first finishes
// answers from before the start. It returns when no work is left running.
func (v *AnswerSpeaker) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for v.Wake(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-v.woken:
		}
		list, _ := retry.StoreUntilDone(ctx, v.o.Log, "look for what is to be said", func() ([]sqlite.SpokenAnswer,
			error) {
			return v.o.Store.List(ctx)
		})
		for _, speech := range list {
			user := speech.Conversation.User
			own, done, ok := v.tasks.BeginWork(ctx, user, func() bool {
				return v.o.IsServed == nil ||
					v.o.IsServed(user)
			})
			if !ok {
				continue
			}
			if !v.begin(speech.Delivery) {
				done()
				continue
			}
			running.Go(func() {
				defer done()
				defer v.finish(speech.Delivery)
				v.speak(own, speech)
			})
		}
	}
}

// begin reports whether this call starts work on an answer; false means that the work was started
// earlier.
func (v *AnswerSpeaker) begin(delivery int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	begun := v.begun[delivery]
	v.begun[delivery] = true
	return !begun
}

func (v *AnswerSpeaker) finish(delivery int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.begun, delivery)
}

// speak makes the recordings of an answer and puts them into the outbox. If that fails, the user is
// told why.
func (v *AnswerSpeaker) speak(ctx context.Context, speech sqlite.SpokenAnswer) {
	log := v.o.Log.With("user", speech.Conversation.User, "delivery", speech.Delivery)
	done := v.showRecording(ctx, speech.Conversation)
	files, err := v.record(ctx, speech)
	done()
	if ctx.Err() != nil {
		return // Run continues the answer after the next start
	}
	notice := ""
	if err != nil {
		log.Warn("say an answer", "error", err)
		notice = fmt.Sprintf(textNotSaid, reason(err))
	}
	keep := func() error {
		if err == nil {
			return v.o.Store.PutRecordings(ctx, speech.Delivery, files)
		}
		return v.o.Store.MarkFailed(ctx, speech.Delivery, v.newNotice(speech.Conversation.ID, notice))
	}
	if _, ok := retry.StoreUntilDone(ctx, log, "keep what became of saying an answer", func() (struct{},
		error) {
		return struct{}{}, keep()
	}); ok {
		v.keepNotice(speech.Conversation.ID, notice)
		v.o.Queued(speech.Conversation.ID)
	}
}

// newNotice returns the notice about a failure; "" if the user got the same notice for the previous
// answer.
func (v *AnswerSpeaker) newNotice(conversation int64, notice string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lastNotice[conversation] == notice {
		return ""
	}
	return notice
}

func (v *AnswerSpeaker) keepNotice(conversation int64, notice string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lastNotice[conversation] = notice; notice == "" {
		delete(v.lastNotice, conversation)
	}
}

// showRecording shows the chat action "recording" until done is called.
func (v *AnswerSpeaker) showRecording(ctx context.Context, c supervisor.Conversation) (done func()) {
	ctx, cancel := context.WithCancel(ctx)
	var shown sync.WaitGroup
	shown.Go(func() {
		for v.o.ShowRecording(ctx, c); retry.Sleep(ctx, recordingInterval); {
			v.o.ShowRecording(ctx, c)
		}
	})
	return func() {
		cancel()
		shown.Wait()
	}
}

// record makes the recordings of an answer, one for each part.
func (v *AnswerSpeaker) record(ctx context.Context, speech sqlite.SpokenAnswer) (files []supervisor.File, err error) {
	engine := v.o.Engine()
	_, name, err := v.ChosenVoice(ctx, speech.Conversation.User)
	if err != nil {
		return nil, err
	}
	text, _ := claim.RemoveWarning(speech.Text)
	parts := markdown.RenderSpeech(text).Parts
	if engine.Record != nil {
		for _, text := range parts {
			file, err := engine.Record(ctx, speech.Turn, text, engine.Voices[name])
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		return files, nil
	}
	operations := speech.Operations
	if len(operations) == 0 {
		if operations, err = v.start(ctx, speech.Conversation.User, engine, engine.Voices[name], parts); err == nil {
			err = v.o.Store.PutOperations(ctx, speech.Delivery, operations)
		}
		if err != nil {
			return nil, err
		}
	}
	return v.wait(ctx, operations)
}

// start starts an operation in the user's worker for each text.
func (v *AnswerSpeaker) start(ctx context.Context, user string, engine Engine, voice string,
	texts []string) (operations []int64, err error) {
	for _, text := range texts {
		parameters, err := json.Marshal(protocol.SpeakParameters{Text: text, Voice: voice, Engine: engine.VoiceEngine})
		if err != nil {
			return nil, err
		}
		op, err := v.o.Operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationKindSpeak,
			Parameters: string(parameters)})
		if err != nil {
			return nil, err
		}
		operations = append(operations, op.ID)
	}
	return operations, nil
}

// speechError is the error of a failed recording.
type speechError struct {
	why    string // a sentence for the user
	detail string
}

func (e *speechError) Error() string { return strings.TrimSuffix(e.why+" "+e.detail, " ") }

// reason returns the text of an error for the user.
func reason(err error) string {
	var said *speechError
	var told *supervisor.Error
	switch {
	case errors.As(err, &said):
		return said.why
	case errors.As(err, &told):
		return told.Message
	}
	return textNotSpoke
}

// wait waits for all recordings, even if one fails, so that no operation stays running.
func (v *AnswerSpeaker) wait(ctx context.Context, operations []int64) (files []supervisor.File, err error) {
	for i, id := range operations {
		file, failed := v.waitFor(ctx, id)
		if i > 0 {
			file.Name = fmt.Sprintf("voice-%d.ogg", i+1)
		}
		files, err = append(files, file), cmp.Or(err, failed)
	}
	return files, err
}

func (v *AnswerSpeaker) waitFor(ctx context.Context, id int64) (file supervisor.File, err error) {
	op, err := v.o.Operations.Wait(ctx, id)
	if err != nil {
		return file, err
	}
	if op.State != supervisor.OperationDone {
		return file, &speechError{op.Result, string(op.State)}
	}
	var result protocol.SpeakResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		return file, fmt.Errorf("read what came of operation %d: %w", id, err)
	}
	if result.Failure != "" {
		return file, &speechError{cmp.Or(failures[result.Failure], textNotSpoke), result.Detail}
	}
	return supervisor.File{SHA256: result.Blob.SHA256, Size: result.Blob.Size, Name: "voice.ogg", MediaType: supervisor.MediaTypeVoice,
		Media: protocol.MediaSize{Seconds: result.Seconds}}, nil
}

// RecordSamples makes a recording of each voice, in the order of their names. c is the conversation
// that asks for the samples. Its error is for the user.
func (v *AnswerSpeaker) RecordSamples(ctx context.Context, c supervisor.Conversation) (files []supervisor.File,
	err error) {
	engine := v.o.Engine()
	for _, name := range engine.names() {
		file, err := v.sample(ctx, c, engine, engine.Voices[name], fmt.Sprintf(textSample, name))
		if err != nil {
			return nil, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(textNoSample, name, reason(err)), Err: err}
		}
		file.Name, file.Caption = name+".ogg", name
		files = append(files, file)
	}
	return files, nil
}

// sample makes a recording of a text with a voice.
func (v *AnswerSpeaker) sample(ctx context.Context, c supervisor.Conversation, engine Engine, voice,
	text string) (supervisor.File, error) {
	if engine.Record != nil {
		return engine.Record(ctx, supervisor.Turn{Conversation: c}, text, voice)
	}
	operations, err := v.start(ctx, c.User, engine, voice, []string{text})
	if err != nil {
		return supervisor.File{}, err
	}
	return v.waitFor(ctx, operations[0])
}
