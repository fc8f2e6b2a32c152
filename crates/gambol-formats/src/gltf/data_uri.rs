//! Bytes in a JSON text: data URIs (RFC 2397) in base64 (RFC 4648).

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::{BASE64_STANDARD, Engine};

/// With or without padding, as files have it.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A data URI of `bytes`.
pub(super) fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(bytes))
}

/// The bytes of a data URI's base64. Some writers use the letters for addresses, `-` and `_`.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    LENIENT.decode(text.replace('-', "+").replace('_', "/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10, there and back, and what files do besides.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(data_uri("a/b", plain.as_bytes()), format!("data:a/b;base64,{text}"));
            assert_eq!(decode(text).as_deref(), Some(plain.as_bytes()));
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(data_uri("a/b", &[0xfb, 0xff]), "data:a/b;base64,+/8=");
        assert_eq!(decode("-_8"), Some(vec![0xfb, 0xff]));
        assert_eq!(decode("Zm 9v"), None);
    }
}
