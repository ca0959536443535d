package carrier

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

var (
	errNotObject    = errors.New("the body is not a JSON object")
	errNotArray     = errors.New("the body is not a JSON array")
	errInvalidID    = errors.New("an id in the body is not a whole number")
	errDuplicateID  = errors.New("the body has one id twice, with different values")
	errOtherService = errors.New("the response is about another service")
	errOtherOrder   = errors.New("the response is not about the order")
	errNoTestTypes  = errors.New("the response names no test type")
	errNoService    = errors.New("the response describes no service")

	errNoCancellation = errors.New("the response shows neither a cancellation nor that there is none")
)

// wireValue is a type that decodes itself because it has several shapes on the wire.
type wireValue interface {
	readWire(d jsondoc.Value)
}

// tolerantReader fills structs from JSON by their json tags, as tolerantly as possible: a paid
// request would be lost if one field with an unexpected type made its response unreadable. It
// also accepts a string as a number, a number as a string, and a single element as a list. A
// null, missing or inconvertible field becomes the zero value. Keys are matched exactly, and
// the last of duplicate keys wins.
type tolerantReader struct {
	fields map[reflect.Type]map[string]int
}

// readObject fills into, a pointer to a struct, from a body that must be an object. Only the
// resource's own ids must be valid: see checkResourceIDs.
func readObject(body []byte, into any) error {
	d, err := jsondoc.Parse(body)
	switch {
	case err != nil:
		return err
	case !d.IsObject():
		return errNotObject
	}
	reader := newReader()
	if err := reader.checkResourceIDs(reflect.TypeOf(into).Elem(), d); err != nil {
		return err
	}
	reader.read(into, d)
	return nil
}

// readArray fills into, a pointer to a slice, from a body that must be an array.
func readArray(body []byte, into any) error {
	d, err := jsondoc.Parse(body)
	switch {
	case err != nil:
		return err
	case !d.IsArray():
		return errNotArray
	}
	newReader().read(into, d)
	return nil
}

// readList reads an array or a single element. Null is an empty list.
func readList[T any](into *[]T, d jsondoc.Value) { newReader().read(into, d) }

func newReader() tolerantReader {
	return tolerantReader{fields: make(map[reflect.Type]map[string]int)}
}

// read fills what into points to.
func (r tolerantReader) read(into any, d jsondoc.Value) { r.fill(reflect.ValueOf(into).Elem(), d) }

// checkResourceIDs ensures that the ids of a resource can be compared with those requested: its id
// and service id must be whole numbers in range, and must not be given twice with different values.
// A key that the resource does not have may contain anything.
func (r tolerantReader) checkResourceIDs(resource reflect.Type, d jsondoc.Value) error {
	seen := make(map[string]int64)
	for key, value := range d.Members() {
		if !r.isResourceID(resource, key) || value.IsNull() {
			continue
		}
		id, ok := wholeNumber(value)
		if !ok {
			return errInvalidID
		}
		if other, twice := seen[key]; twice && other != id {
			return errDuplicateID
		}
		seen[key] = id
	}
	return nil
}

// isResourceID reports whether a key is that of the id or service id of a resource.
func (r tolerantReader) isResourceID(resource reflect.Type, key string) bool {
	field, known := r.fieldsOf(resource)[key]
	return known && (key == "id" || key == "serviceId") && resource.Field(field).Type.Kind() == reflect.Int64
}

// wholeNumber reads a number, or a number in a string, without converting it to a float.
func wholeNumber(d jsondoc.Value) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(d.Text()), 10, 64)
	return n, err == nil
}

func wholeOrZero(d jsondoc.Value) int64 {
	if n, ok := wholeNumber(d); ok {
		return n
	}
	return 0
}

// fill sets v from d, as far as the value can be converted.
func (r tolerantReader) fill(v reflect.Value, d jsondoc.Value) {
	if special, ok := reflect.TypeAssert[wireValue](v.Addr()); ok {
		special.readWire(d)
		return
	}
	if raw, ok := reflect.TypeAssert[*json.RawMessage](v.Addr()); ok {
		*raw = append((*raw)[:0], d...)
		return
	}
	if secret, ok := reflect.TypeAssert[*Secret](v.Addr()); ok {
		*secret = NewSecret(d.Text())
		return
	}
	if d.IsNull() {
		v.SetZero()
		return
	}
	r.fillKind(v, d)
}

func (r tolerantReader) fillKind(v reflect.Value, d jsondoc.Value) {
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.fill(v.Elem(), d)
	case kind == reflect.Struct:
		r.fillStruct(v, d)
	case kind == reflect.Slice:
		r.fillSlice(v, d)
	case kind == reflect.Map:
		fillMap(v, d)
	case kind == reflect.String:
		v.SetString(d.Text())
	case kind == reflect.Bool:
		v.SetBool(strings.EqualFold(d.Text(), "true"))
	case v.CanInt():
		v.SetInt(wholeOrZero(d))
	}
}

func (r tolerantReader) fillStruct(v reflect.Value, d jsondoc.Value) {
	fields := r.fieldsOf(v.Type())
	for key, value := range d.Members() {
		if i, known := fields[key]; known {
			r.fill(v.Field(i), value)
		}
	}
}

func (r tolerantReader) fillSlice(v reflect.Value, d jsondoc.Value) {
	v.SetZero()
	if !d.IsArray() { // a single element stands for a list
		r.appendTo(v, d)
		return
	}
	for element := range d.Elements() {
		r.appendTo(v, element)
	}
}

func (r tolerantReader) appendTo(v reflect.Value, d jsondoc.Value) {
	element := reflect.New(v.Type().Elem()).Elem()
	r.fill(element, d)
	v.Set(reflect.Append(v, element))
}

// fillMap fills a map of strings: the attributes of a fee, whose keys differ per fee.
func fillMap(v reflect.Value, d jsondoc.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	for key, value := range d.Members() {
		v.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(value.Text()))
	}
}

// fieldsOf maps the names in a struct's json tags to its fields, without embedded ones.
func (r tolerantReader) fieldsOf(t reflect.Type) map[string]int {
	if fields, ok := r.fields[t]; ok {
		return fields
	}
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			fields[name] = i
		}
	}
	r.fields[t] = fields
	return fields
}
