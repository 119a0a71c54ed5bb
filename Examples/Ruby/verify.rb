# Verifies access tokens that are signed with EdDSA, with the bundled openssl. docs/verify.md has the rules.

require "json"
require "openssl"

# The DER prefix of an Ed25519 key (RFC 8410 §4).
ED25519_PREFIX = ["302a300506032b6570032100"].pack("H*")

def decode(text)
  bytes = text.tr("-_", "+/").unpack1("m")
  # Ruby ignores characters that are not base64.
  raise "not base64url" unless [bytes].pack("m0").tr("+/", "-_").delete("=") == text
  bytes
end

def verify(token, keys, issuer, audience, now = Time.now.to_f)
  parts = token.split(".", -1)
  raise "not a token" unless parts.length == 3
  header, payload = parts.first(2).map { |part| JSON.parse(decode(part)) }
  raise "not an access token" unless header["typ"] == "at+jwt" && !header.key?("crit")
  jwk = keys.find { |key| key["kid"] && key["kid"] == header["kid"] }
  raise "key is unknown: fetch the set again" unless jwk
  # The two names of one algorithm (RFC 9864 §2.2).
  is_ed25519 = [header["alg"], jwk["alg"]].all? { |name| %w[EdDSA Ed25519].include?(name) } && jwk["crv"] == "Ed25519"
  raise "not the algorithm of the key, or not accepted" unless is_ed25519
  key = OpenSSL::PKey.read(ED25519_PREFIX + decode(jwk["x"]))
  raise "signature is wrong" unless key.verify(nil, decode(parts[2]), parts.first(2).join("."))
  texts = payload.values_at("iss", "sub", "client_id", "jti")
  raise "a claim is missing" unless texts.all? { |text| text.is_a?(String) && !text.empty? }
  exp, iat, nbf = times = [payload["exp"], payload["iat"], payload.fetch("nbf", 0)]
  raise "a time is missing or invalid" unless times.all? { |time| time.is_a?(Numeric) && time.finite? }
  raise "wrong issuer or audience" unless payload["iss"] == issuer && [payload["aud"]].flatten(1).include?(audience)
  raise "expired, or not valid yet" unless now < exp + 5 && now + 5 >= nbf
  raise "bound to a key: requires a proof" if payload.key?("cnf")
  payload
end
