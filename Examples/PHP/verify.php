<?php
// Verifies access tokens that are signed with EdDSA, with the sodium extension. docs/verify.md has the rules.

function bytes(string $part): string {
    return sodium_base642bin($part, SODIUM_BASE64_VARIANT_URLSAFE_NO_PADDING);
}

function parse(string $part): array {
    return json_decode(bytes($part), true, flags: JSON_THROW_ON_ERROR);
}

function verify(string $token, array $keys, string $issuer, string $audience, ?float $now = null): array {
    $parts = explode('.', $token);
    if (count($parts) !== 3) throw new Exception('not a token');
    $header = parse($parts[0]);
    if (($header['typ'] ?? '') !== 'at+jwt' || array_key_exists('crit', $header)) {
        throw new Exception('not an access token');
    }
    $named = array_filter($keys, fn($key) => isset($key['kid']) && $key['kid'] === ($header['kid'] ?? null));
    $key = reset($named);
    if (!$key) throw new Exception('key is unknown: fetch the set again');
    // The two names of one algorithm (RFC 9864 §2.2).
    $names = ['EdDSA', 'Ed25519'];
    $isEd25519 = in_array($header['alg'] ?? '', $names, true) && in_array($key['alg'] ?? '', $names, true);
    if (!$isEd25519 || ($key['crv'] ?? '') !== 'Ed25519') {
        throw new Exception('not the algorithm of the key, or not accepted');
    }
    if (!sodium_crypto_sign_verify_detached(bytes($parts[2]), "$parts[0].$parts[1]", bytes($key['x']))) {
        throw new Exception('signature is wrong');
    }
    $claims = parse($parts[1]);
    foreach (['iss', 'sub', 'client_id', 'jti'] as $name) {
        if (!is_string($claims[$name] ?? null) || $claims[$name] === '') throw new Exception("missing: $name");
    }
    foreach (array_key_exists('nbf', $claims) ? ['exp', 'iat', 'nbf'] : ['exp', 'iat'] as $name) {
        $time = $claims[$name] ?? null;
        if (!is_int($time) && !(is_float($time) && is_finite($time))) throw new Exception("missing: $name");
    }
    $aud = $claims['aud'] ?? null;
    if (!is_array($aud) || !array_is_list($aud)) $aud = [$aud];
    if ($claims['iss'] !== $issuer || !in_array($audience, $aud, true)) {
        throw new Exception('wrong issuer or audience');
    }
    $now ??= time();
    if ($now >= $claims['exp'] + 5 || $now + 5 < ($claims['nbf'] ?? 0)) throw new Exception('expired, or not valid yet');
    if (array_key_exists('cnf', $claims)) throw new Exception('bound to a key: requires a proof');
    return $claims;
}
