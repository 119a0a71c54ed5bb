internal import CCurl

/// Domains in the form that every mail server understands.
enum MailDomain {
    /// Returns the ASCII form of a domain: `xn--bcher-kva.de` for `bücher.de` (RFC 5891 §4). `nil` for text that is no name.
    static func ascii(_ domain: String) -> String? {
        if domain.utf8.allSatisfy({ $0 < 0x80 }) { return domain.isEmpty ? nil : domain.lowercased() }
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_HOST, domain, 0) == CURLUE_OK,
            curl_url_get(url, CURLUPART_HOST, &text, UInt32(CURLU_PUNYCODE)) == CURLUE_OK, let text
        else { return nil }
        defer { curl_free(text) }
        let ascii = String(cString: text)
        return ascii.utf8.allSatisfy { $0 < 0x80 } ? ascii.lowercased() : nil
    }
}
