package credentials

import "github.com/leveelake/catalog/types"

// Validate refuses a request that no vendor may answer: a Location that is not in normal
// form (lower-case scheme, a bucket, no empty, "." or ".." segment, no slash at the end, no
// character that a policy language could read as more than itself) and a TTL below zero
// are types.InvalidParameterValue, an unknown Operation is types.BadRequest. The errors
// hold no secret, even if Location does.
//
// The catalog has checked all of it before. A vendor asks again because an answer to a wrong
// question opens somebody's storage.
func (r Request) Validate() error {
	if err := checkLocation(r.Location); err != nil {
		return err
	}
	if r.Operation != types.Read && r.Operation != types.ReadWrite {
		return types.BadRequest.Errorf("operation %q is neither %s nor %s", r.Operation, types.Read, types.ReadWrite)
	}
	if r.TTL < 0 {
		return types.InvalidParameterValue.Errorf("lifetime %s is below zero", r.TTL)
	}
	return nil
}
