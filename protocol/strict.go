package protocol

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// MaxRawJSONDepth bounds the nesting of a json.RawMessage. A message that contains it then stays
// within the wire's depth of 64.
const MaxRawJSONDepth = 48

// DecodeStrict decodes one JSON value into v, a pointer. It refuses faults that encoding/json
// accepts: unknown, duplicate and case-variant keys, invalid UTF-8, halves of surrogate pairs,
// numbers beyond float64. It also refuses null for a value that cannot be nil, depth over 64, and
// anything after the value. A json.RawMessage or an interface may have any key once. DecodeStrict
// never panics. After an error v may be partly filled.
func DecodeStrict(data []byte, v any) error {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return fmt.Errorf("decode into %T: not a pointer", v)
	}
	s := scanner{data: data}
	if f := s.document(jsonShapeOf(t.Elem()), 1); f != nil {
		return f
	}
	err := json.Unmarshal(data, v)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) { // the error's own text has names of Go types
		return &decodeError{path: wrong.Field, problem: fmt.Sprintf("cannot be %s", wrong.Value)}
	}
	return err
}

// ValidateRawJSON refuses a value that the wire would refuse. It also refuses a value with
// case-variant keys. Some readers of JSON treat such keys as equal, and some do not. Call it for a
// value from elsewhere, such as the arguments of a model's tool call, before it goes into a
// message. A line with an invalid value cannot be sent.
func ValidateRawJSON(raw json.RawMessage) error {
	s := scanner{data: raw, foldKeys: true}
	if f := s.document(nil, maxDepth-MaxRawJSONDepth+1); f != nil {
		return f
	}
	return nil
}

// jsonShape tells which JSON values a Go type accepts, as far as the scanner needs it. Its zero
// value and nil accept anything.
type jsonShape struct {
	want   jsonKind // kind of the value; "" and kindAny accept any kind
	null   bool     // null is accepted too
	fields map[string]*jsonShape
	elem   *jsonShape // shape of a list's elements or a map's values
}

// check returns an error unless a value of kind got is allowed.
func (t *jsonShape) check(got jsonKind) *decodeError {
	if t == nil || t.want == kindAny || t.want == "" || got == t.want || got == kindNull && t.null {
		return nil
	}
	return decodeErrorf("want %s, got %s", t.want, got)
}

// element is the shape of a list's elements.
func (t *jsonShape) element() *jsonShape {
	if t == nil {
		return nil
	}
	return t.elem
}

// member returns the shape of the member key, and whether that member is allowed.
func (t *jsonShape) member(key []byte) (*jsonShape, bool) {
	if t == nil || t.fields == nil {
		return t.element(), true
	}
	inner, known := t.fields[string(key)]
	return inner, known
}

// jsonShapes holds the finished shapes by reflect.Type.
var jsonShapes sync.Map

func jsonShapeOf(t reflect.Type) *jsonShape {
	if known, ok := jsonShapes.Load(t); ok {
		return known.(*jsonShape)
	}
	built := buildShape(t, make(map[reflect.Type]*jsonShape))
	jsonShapes.Store(t, built)
	return built
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// buildShape makes the shape of t. building holds unfinished shapes, for types that contain
// themselves.
func buildShape(t reflect.Type, building map[reflect.Type]*jsonShape) *jsonShape {
	if s, ok := building[t]; ok {
		return s
	}
	s := &jsonShape{want: kindAny}
	building[t] = s
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		return s // the type has its own method for decoding, as RawMessage and time.Time have
	}
	switch t.Kind() {
	case reflect.Pointer:
		*s = *buildShape(t.Elem(), building)
		s.null = true
	case reflect.Struct:
		s.want, s.fields = kindObject, make(map[string]*jsonShape)
		addFields(s.fields, t, building)
	case reflect.Map:
		s.want, s.null, s.elem = kindObject, true, buildShape(t.Elem(), building)
	case reflect.Slice, reflect.Array:
		s.want, s.null, s.elem = kindList, t.Kind() == reflect.Slice, buildShape(t.Elem(), building)
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			s.want = kindString // bytes are sent as base64
		}
	case reflect.Bool:
		s.want = kindBool
	case reflect.String:
		s.want = kindString
	case reflect.Interface:
	default:
		s.want = kindNumber // only numbers are left: the wire has no channels, functions or complex numbers
	}
	return s
}

// addFields adds the fields of t under encoding/json's names, as far as the wire's types need it.
func addFields(fields map[string]*jsonShape, t reflect.Type, building map[reflect.Type]*jsonShape) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			addFields(fields, f.Type, building)
		case name == "-" || !f.IsExported():
		case name == "":
			fields[f.Name] = buildShape(f.Type, building)
		default:
			fields[name] = buildShape(f.Type, building)
		}
	}
}
