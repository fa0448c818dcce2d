//! Random identifiers.

/// A UUID of version 4.
pub fn random_uuid() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

/// Whether `text` has the form of one.
pub fn is_one(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_have_their_form_and_differ() {
        let id = super::random_uuid().unwrap();
        assert!(super::is_one(&id) && !super::is_one("a/b") && !super::is_one(&"%".repeat(36)));
        assert_eq!((id.as_bytes()[14], id.matches('-').count()), (b'4', 4));
        assert!(matches!(id.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{id}");
        assert_ne!(id, super::random_uuid().unwrap());
    }
}
