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

// MaxRawDepth is how deep a json.RawMessage may nest, so that every message that holds one stays within the wire's 64.
const MaxRawDepth = 48

// DecodeStrict decodes one JSON value into v, a pointer, and refuses what encoding/json lets pass: unknown, duplicate and
// case-variant keys, invalid UTF-8, halves of surrogate pairs, numbers beyond float64, null for what cannot be nil,
// depth over 64, anything after the value. Inside a json.RawMessage or an interface any key goes, once. It never
// panics; on an error v may be partly filled.
func DecodeStrict(data []byte, v any) error {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return fmt.Errorf("decode into %T: not a pointer", v)
	}
	s := scanner{data: data}
	if f := s.document(shapeOf(t.Elem()), 1); f != nil {
		return f
	}
	return withoutGoNames(json.Unmarshal(data, v))
}

// CheckRaw checks a json.RawMessage that comes from elsewhere, such as a model's arguments of a tool call, for what the
// wire would refuse, and for keys that differ in case alone, which are one key to some readers and two to others. Whoever
// puts one into a message calls it first: a line that holds an invalid one cannot be sent.
func CheckRaw(raw json.RawMessage) error {
	s := scanner{data: raw, foldKeys: true}
	if f := s.document(nil, maxDepth-MaxRawDepth+1); f != nil {
		return f
	}
	return nil
}

// withoutGoNames takes Go's names out of what encoding/json says.
func withoutGoNames(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &decodeError{path: wrong.Field, problem: fmt.Sprintf("cannot be %s", wrong.Value)}
	}
	return err
}

// shape is what a Go type takes, reduced to what the scanner asks. Its zero value and nil take anything.
type shape struct {
	want   jsonKind // "" and kindAny: anything
	null   bool     // null will do too
	fields map[string]*shape
	elem   *shape // of a list's elements or a map's values
}

// check reports whether a value of kind got may stand here.
func (t *shape) check(got jsonKind) *decodeError {
	if t == nil || t.want == kindAny || t.want == "" || got == t.want || got == kindNull && t.null {
		return nil
	}
	return decodeErrorf("want %s, got %s", t.want, got)
}

// element is the shape of a list's elements.
func (t *shape) element() *shape {
	if t == nil {
		return nil
	}
	return t.elem
}

// member is the shape of the member key, and whether there may be one.
func (t *shape) member(key []byte) (*shape, bool) {
	if t == nil || t.fields == nil {
		return t.element(), true
	}
	inner, known := t.fields[string(key)]
	return inner, known
}

// shapes holds the finished shapes by reflect.Type.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	built := buildShape(t, make(map[reflect.Type]*shape))
	shapes.Store(t, built)
	return built
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// scalar is what the kinds without parts take.
var scalar = map[reflect.Kind]jsonKind{
	reflect.Bool: kindBool, reflect.String: kindString,
	reflect.Int: kindNumber, reflect.Int8: kindNumber, reflect.Int16: kindNumber, reflect.Int32: kindNumber,
	reflect.Int64: kindNumber, reflect.Uint: kindNumber, reflect.Uint8: kindNumber, reflect.Uint16: kindNumber,
	reflect.Uint32: kindNumber, reflect.Uint64: kindNumber, reflect.Float32: kindNumber, reflect.Float64: kindNumber,
}

// buildShape makes the shape of t. A type within itself finds its own unfinished shape in building.
func buildShape(t reflect.Type, building map[reflect.Type]*shape) *shape {
	if s, ok := building[t]; ok {
		return s
	}
	s := &shape{want: kindAny}
	building[t] = s
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		return s // RawMessage, time.Time: its own method decides what it takes
	}
	switch t.Kind() {
	case reflect.Pointer:
		*s = *buildShape(t.Elem(), building)
		s.null = true
	case reflect.Struct:
		s.want, s.fields = kindObject, make(map[string]*shape)
		addFields(s.fields, t, building)
	case reflect.Map:
		s.want, s.null, s.elem = kindObject, true, buildShape(t.Elem(), building)
	case reflect.Slice, reflect.Array:
		s.want, s.null, s.elem = kindList, t.Kind() == reflect.Slice, buildShape(t.Elem(), building)
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			s.want = kindString // base64
		}
	default:
		if k, ok := scalar[t.Kind()]; ok {
			s.want = k
		}
	}
	return s
}

// addFields names the fields of t as encoding/json does, for the plain tags of the wire's types.
func addFields(fields map[string]*shape, t reflect.Type, building map[reflect.Type]*shape) {
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
