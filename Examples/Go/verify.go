// Verifies access tokens that are signed with EdDSA, with the standard library. docs/verify.md has the rules.

package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

type Key struct{ Kid, Alg, Crv, X string }

// Go's decoder accepts line breaks, and stray bits at the end.
func decode(text string) ([]byte, error) {
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && base64.RawURLEncoding.EncodeToString(bytes) != text {
		err = errors.New("not base64url")
	}
	return bytes, err
}

// A map, because Go fills a struct's fields from members in another case as well: Sub from "sub", "Sub" and "SUB".
func parse(part string) (map[string]any, error) {
	bytes, err := decode(part)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	err = json.Unmarshal(bytes, &members)
	return members, err
}

// The two names of one algorithm (RFC 9864 §2.2).
func isEd25519(alg any) bool {
	return alg == "EdDSA" || alg == "Ed25519"
}

func signedBy(keys []Key, kid, alg any, text string, signature []byte) error {
	for _, key := range keys {
		if key.Kid == "" || key.Kid != kid {
			continue
		}
		public, err := decode(key.X)
		if !isEd25519(alg) || !isEd25519(key.Alg) || key.Crv != "Ed25519" || err != nil || len(public) != 32 {
			return errors.New("not the algorithm of the key, or not accepted")
		}
		if !ed25519.Verify(public, []byte(text), signature) {
			return errors.New("signature is wrong")
		}
		return nil
	}
	return errors.New("key is unknown: fetch the set again")
}

func Verify(token string, keys []Key, issuer, audience string, now time.Time) (map[string]any, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errors.New("not a token")
	}
	header, err := parse(parts[0])
	if _, critical := header["crit"]; err != nil || header["typ"] != "at+jwt" || critical {
		return nil, errors.New("not an access token")
	}
	signature, err := decode(parts[2])
	if err != nil {
		return nil, err
	}
	if err := signedBy(keys, header["kid"], header["alg"], parts[0]+"."+parts[1], signature); err != nil {
		return nil, err
	}
	claims, err := parse(parts[1])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"iss", "sub", "client_id", "jti"} {
		if text, _ := claims[name].(string); text == "" {
			return nil, errors.New("missing: " + name)
		}
	}
	exp, hasExp := claims["exp"].(float64)
	_, hasIat := claims["iat"].(float64)
	nbf, hasNbf := claims["nbf"].(float64)
	if _, isThere := claims["nbf"]; !hasExp || !hasIat || isThere && !hasNbf {
		return nil, errors.New("a time is missing or invalid")
	}
	audiences, isList := claims["aud"].([]any)
	if !isList {
		audiences = []any{claims["aud"]}
	}
	isForUs := false
	for _, name := range audiences {
		isForUs = isForUs || name == audience
	}
	if claims["iss"] != issuer || !isForUs {
		return nil, errors.New("wrong issuer or audience")
	}
	seconds := float64(now.Unix())
	if seconds >= exp+5 || seconds+5 < nbf {
		return nil, errors.New("expired, or not valid yet")
	}
	if _, isBound := claims["cnf"]; isBound {
		return nil, errors.New("bound to a key: requires a proof")
	}
	return claims, nil
}
