package types

// A reader makes a value of one checked JSON value, which has no blanks around it and
// stands at the path. It answers BadRequest for a wrong kind of JSON and
// InvalidParameterValue for a value against a rule.
type reader[T any] func(data []byte, p *path) (T, error)

// An object is a JSON object taken apart. Its fields are then asked for by name, in the
// order in which they are to be judged, whatever the order they came in. Names match
// exactly, of a repeated name the last counts, and null is absent. The first refusal
// stays in err; after it all fields are zero.
type object struct {
	path    *path
	members []member
	err     error
}

type member struct {
	name  string
	value []byte
}

// maxMembers bounds the memory that an object of many unknown fields takes.
const maxMembers = 1000

// open takes the JSON object in data apart.
func open(data []byte, p *path) *object {
	o := &object{path: p}
	if o.err = p.want(data[0], "an object", "{"); o.err != nil {
		return o
	}
	c := cursor{data: data}
	for c.enter(); c.more('}'); {
		if len(o.members) == maxMembers {
			o.err = p.bad("more than %d fields", maxMembers)
			return o
		}
		name := c.key()
		o.members = append(o.members, member{name, c.skip()})
	}
	return o
}

// value is the JSON of a field, nil if it is absent or null.
func (o *object) value(name string) []byte {
	for i := len(o.members) - 1; i >= 0; i-- {
		if m := o.members[i]; m.name == name {
			if m.value[0] == 'n' {
				return nil
			}
			return m.value
		}
	}
	return nil
}

// need reads a field that must be there.
func need[T any](o *object, name string, read reader[T]) T {
	if o.err == nil && o.value(name) == nil {
		o.err = o.path.missing(name)
	}
	return given(o, name, read)
}

// given reads a field that may be absent, which is the zero value then.
func given[T any](o *object, name string, read reader[T]) T {
	var zero T
	if o.err != nil {
		return zero
	}
	data := o.value(name)
	if data == nil {
		return zero
	}
	o.path.push(name)
	v, err := read(data, o.path)
	o.path.pop()
	if err != nil {
		o.err = err
		return zero
	}
	return v
}

// must is need for a field that is held by a pointer.
func must[T any](o *object, name string, read reader[T]) *T {
	v := need(o, name, read)
	return &v
}

// maybe is given for a field that is held by a pointer, which is nil if it is absent.
func maybe[T any](o *object, name string, read reader[T]) *T {
	if o.err != nil || o.value(name) == nil {
		return nil
	}
	v := given(o, name, read)
	return &v
}

// unmarshal is the body of every UnmarshalJSON: it checks data and reads it into v, which
// stays as it was if data is refused.
func unmarshal[T any](v *T, data []byte, read reader[T]) error {
	if err := check(data); err != nil {
		return err
	}
	got, err := read(trim(data), &path{})
	if err == nil {
		*v = got
	}
	return err
}
