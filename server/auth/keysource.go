package auth

import (
	"context"
	"crypto/rsa"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/leveelake/catalog/types"
)

const (
	fetchPause = 10 * time.Second // between two fetches of the keys of one issuer, whatever happens
	freshFor   = time.Hour        // after which keys are fetched again, so that withdrawn ones end
	staleWait  = time.Second      // how long a request waits for that
	keptFor    = 24 * time.Hour   // how long keys count while the issuer cannot be asked
)

// A keySource has the public keys of an issuer. It fetches them when it needs one that it does not know, and
// goes on with what it has while the issuer is down, for a day. What becomes of a fetch is logged here, so that an
// issuer that is down makes one line in ten seconds and not one for each request.
type keySource struct {
	issuer string
	client *client
	opts   Options

	mu      sync.Mutex
	jwks    string // where the keys are; "" until discovered
	keys    []jose.JSONWebKey
	fetched time.Time     // when keys were
	next    time.Time     // when another fetch may begin
	down    bool          // the last fetch failed
	flight  chan struct{} // closed when the fetch under way is over; nil if there is none
}

// verify returns the payload of signed if one of the keys has signed it.
func (s *keySource) verify(ctx context.Context, signed *jose.JSONWebSignature) ([]byte, error) {
	header := signed.Signatures[0].Protected
	keys, stale, _ := s.known(header)
	if stale {
		if over, began := s.fetch(); began { // the others do not wait: they have keys
			select {
			case <-over:
			case <-time.After(staleWait):
			case <-ctx.Done():
			}
			keys, _, _ = s.known(header)
		}
	}
	if payload, ok := tryAll(signed, keys); ok {
		return payload, nil
	}
	if over, _ := s.fetch(); over != nil { // perhaps it is a new key
		select {
		case <-over:
		case <-ctx.Done():
			return nil, types.Unavailable.Errorf("the request ended before issuer %s had answered", s.issuer)
		}
	}
	keys, _, down := s.known(header)
	if payload, ok := tryAll(signed, keys); ok {
		return payload, nil
	}
	if len(keys) == 0 && down {
		return nil, types.Unavailable.Errorf("issuer %s cannot be asked for its keys now; retry later", s.issuer) // fly has logged why
	}
	return nil, refused("the token is not signed with a key that issuer %s has now", s.issuer)
}

// known returns the keys that may have signed what has header, whether it is time to fetch them anew, and whether the last
// fetch failed.
func (s *keySource) known(header jose.Header) (keys []jose.JSONWebKey, stale, down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := s.opts.Now().Sub(s.fetched)
	if age > keptFor {
		s.keys = nil
	}
	for _, k := range s.keys {
		if (header.KeyID == "" || k.KeyID == header.KeyID) && (k.Algorithm == "" || k.Algorithm == header.Algorithm) {
			keys = append(keys, k)
		}
	}
	return keys, len(s.keys) > 0 && age > freshFor, s.down
}

func tryAll(signed *jose.JSONWebSignature, keys []jose.JSONWebKey) ([]byte, bool) {
	for _, k := range keys {
		if payload, err := signed.Verify(k); err == nil {
			return payload, true
		}
	}
	return nil, false
}

// fetch has the keys fetched, unless that was done just now. It returns what is closed when the fetch under way is over, nil
// if there is none, and whether this call began it.
func (s *keySource) fetch() (over <-chan struct{}, began bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flight != nil {
		return s.flight, false
	}
	if s.opts.Now().Before(s.next) {
		return nil, false
	}
	flight := make(chan struct{})
	s.flight = flight
	go s.fly(s.jwks, flight) // it does not end with the request: others wait for it, too
	return flight, true
}

func (s *keySource) fly(jwks string, flight chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	var err error
	if jwks == "" {
		jwks, err = s.client.discover(ctx, s.issuer)
	}
	var keys []jose.JSONWebKey
	if err == nil {
		keys, err = s.client.keys(ctx, jwks)
	}
	if err != nil {
		jwks = "" // they may have moved
		s.opts.Logger.Error("the keys of an issuer cannot be fetched", "issuer", s.issuer, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	s.jwks, s.down, s.next, s.flight = jwks, err != nil, now.Add(fetchPause), nil
	if err == nil {
		s.keys, s.fetched = keys, now
	}
	close(flight)
}

// usable reports whether k may verify tokens: a public key for signatures, and no weak one.
func usable(k jose.JSONWebKey) bool {
	if !k.Valid() || !k.IsPublic() || k.Use != "" && k.Use != "sig" {
		return false
	}
	r, ok := k.Key.(*rsa.PublicKey)
	return !ok || r.N.BitLen() >= 2048
}
