package sqlite

import (
	"errors"

	engine "zombiezen.com/go/sqlite"
)

// Why a file is refused. Each comes wrapped in an error that names the file.
var (
	ErrInUse   = errors.New("it is in use by another store, in this process or another")
	ErrForeign = errors.New("it is not a database of this catalog")
	ErrNewer   = errors.New("it was written by a newer version of this catalog")
	ErrDamaged = errors.New("it is damaged")
	ErrLinked  = errors.New("it has another name (a hard link), under which another store could use it unnoticed")
)

// A fault is an error of SQLite or of the operating system, with the file it is about.
type fault struct {
	path string
	text string
	err  error // cause
	is   error // one of the errors above, or nil
}

func (f *fault) Error() string { return "sqlite: " + f.path + ": " + f.text }

func (f *fault) Unwrap() []error {
	if f.is == nil {
		return []error{f.err}
	}
	return []error{f.is, f.err}
}

// faultOf says what err, which came from the database at path, means.
func faultOf(path string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	f := &fault{path: path, text: err.Error(), err: err}
	code := engine.ErrCode(err)
	switch code.ToPrimary() {
	case engine.ResultCorrupt:
		f.is, f.text = ErrDamaged, ErrDamaged.Error()+" ("+code.String()+")"
	case engine.ResultNotADB:
		f.is, f.text = ErrForeign, ErrForeign.Error()+" ("+code.String()+")"
	case engine.ResultOK, engine.ResultError, engine.ResultMisuse:
		// No error of SQLite, or one that its text says more about than its code.
	default:
		f.text = code.Message() + " (" + code.String() + ")"
	}
	return f
}

// isUnique tells whether err says that a value which must be unique is taken.
func isUnique(err error) bool {
	switch engine.ErrCode(err) {
	case engine.ResultConstraintUnique, engine.ResultConstraintPrimaryKey, engine.ResultConstraintRowID:
		return true
	}
	return false
}
