package types

import "iter"

// What other packages need to read and write JSON as this one does.

// CheckJSON returns data without the blanks around it. It answers [BadRequest] unless data is one
// JSON object in UTF-8 and nothing behind it.
func CheckJSON(data []byte) ([]byte, error) {
	if err := check(data); err != nil {
		return nil, err
	}
	data = trim(data)
	return data, (&path{}).want(data[0], "an object", "{")
}

// Members ranges over the names and values of an object within JSON that [CheckJSON] has passed, in
// their order, repeated names too.
func Members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		c := cursor{data: object}
		for c.enter(); c.more('}'); {
			name := c.key()
			if !yield(name, c.skip()) {
				return
			}
		}
	}
}

// Elements ranges over an array within JSON that [CheckJSON] has passed.
func Elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		c := cursor{data: array}
		i := 0
		for c.enter(); c.more(']'); i++ {
			if !yield(i, c.skip()) {
				return
			}
		}
	}
}

// Text is what a string within JSON that [CheckJSON] has passed says.
func Text(quoted []byte) string { return unquote(quoted) }

// AppendString appends s as a JSON string, without the escapes that encoding/json makes for HTML.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s) }
