package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// wireTypes are all structs of the wire.
var wireTypes = []any{
	Hello{}, HelloResult{}, Tool{}, FilePolicy{}, TurnStart{}, TurnLimits{}, PendingCall{}, TurnEnd{},
	StepCommitParams{},
	StepCommitResult{}, TurnEvent{}, ModelStreamParams{}, ModelStreamResult{}, AnsweredCall{}, ToolsFindParams{},
	ToolsFindResult{}, FindToolsArguments{}, SystemTextRef{}, ToolListRef{}, Message{},
	ContentPart{}, Image{}, ToolCall{}, ToolResult{}, Change{}, Usage{}, BlobRef{}, BlobBeginParams{},
	BlobBeginResult{},
	BlobWriteParams{}, BlobCommitParams{},
	BlobReadParams{}, BlobReadResult{}, ChatSendParams{}, ChatMessageParams{}, ChatSendResult{}, CancelParams{},
	Error{}, OperationStart{}, OperationEnd{},
	ArchiveParameters{}, ArchiveResult{}, OmittedFile{}, ToolsChangedParams{}, OperationPiece{}, OperationProgress{},
	TranscribedPiece{}, TranscribeParameters{}, TranscribeResult{}, SpeechEngine{}, ChildContextWindow{},
	ReviewMaterial{},
	ReviewReport{}, ReviewCheckParams{}, ReviewCheckResult{}, Triage{},
}

func TestWireTypes_EveryField_SurvivesRoundTrip(t *testing.T) {
	for _, zero := range wireTypes {
		typ := reflect.TypeOf(zero)
		t.Run(typ.Name(), func(t *testing.T) {
			full := reflect.New(typ)
			n := 0
			fill(t, full.Elem(), &n)
			text, err := json.Marshal(full.Interface())
			if err != nil {
				t.Fatal(err)
			}
			back := reflect.New(typ)
			if err := DecodeStrict(text, back.Interface()); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if !reflect.DeepEqual(full.Interface(), back.Interface()) {
				t.Errorf("sent %+v, got %+v", full, back)
			}
		})
	}
}

// fill sets every field below v to a different value.
func fill(t *testing.T, v reflect.Value, n *int) {
	*n++
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(fmt.Appendf(nil, `{"a":%d}`, *n))
	case v.Type() == reflect.TypeFor[[]byte]():
		v.SetBytes([]byte{byte(*n), 0xff})
	case v.Kind() == reflect.String:
		v.SetString(fmt.Sprintf("text %d é\u2028<\"\n", *n))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(int64(*n))
	case v.CanFloat():
		v.SetFloat(float64(*n) / 2)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), n)
		fill(t, v.Index(1), n)
	case v.Kind() == reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, n)
		fill(t, value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	default:
		t.Fatalf("cannot fill a %v: teach this test", v.Type())
	}
}

func TestWireTypes_Keys_AreLowerCase(t *testing.T) {
	for _, zero := range wireTypes {
		for name := range jsonShapeOf(reflect.TypeOf(zero)).fields {
			if name != strings.ToLower(name) {
				t.Errorf("%T: key %s", zero, name)
			}
		}
	}
}
