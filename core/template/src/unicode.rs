//! Go's simple case mappings and character classes, where they differ from what the language gives.

/// Whether Go's `unicode.IsLetter` or `unicode.IsDigit` holds; for characters that are alphanumeric in the wider
/// sense, without numbers that are no decimal digits and marks.
pub(crate) fn is_letter_or_digit(c: char) -> bool {
    if c.is_alphabetic() {
        // Marks and letter numbers count as alphabetic, but not as letters.
        return !matches!(u32::from(c),
            0x345 | 0x5B0..=0x5C7 | 0x610..=0x61A | 0x64B..=0x65F | 0x670 | 0x6D6..=0x6ED
            | 0x900..=0x903 | 0x93A | 0x93B | 0x93E..=0x94F | 0x955..=0x957 | 0x962 | 0x963
            | 0x2160..=0x2182 | 0x2185..=0x2188 | 0x24B6..=0x24E9 | 0x3007 | 0x3021..=0x3029 | 0x3038..=0x303A);
    }
    // Numbers that are not decimal digits are no part of a name.
    is_digit(c)
}

/// Decimal digits come in runs of ten; these are the starts of the runs of the basic plane.
const STARTS: [u32; 37] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
    0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
    0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0,
];

/// Whether the character is a decimal digit of some script.
#[must_use]
pub fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    STARTS.iter().any(|start| (*start..*start + 10).contains(&u32::from(c)))
}

/// Go's `unicode.IsLetter`, near enough.
#[must_use]
pub fn is_letter(c: char) -> bool {
    c.is_alphabetic() && is_letter_or_digit(c)
}

/// Go's `unicode.ToUpper`: one character for one.
#[must_use]
pub fn to_upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => match u32::from(c) {
            // Greek with iota below has a capital of its own.
            code @ (0x1F80..=0x1F87 | 0x1F90..=0x1F97 | 0x1FA0..=0x1FA7) => char::from_u32(code + 8).unwrap_or(c),
            code @ (0x1FB3 | 0x1FC3 | 0x1FF3) => char::from_u32(code + 9).unwrap_or(c),
            _ => c,
        },
    }
}

/// Go's `unicode.ToLower`.
#[must_use]
pub fn to_lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        // The dotted capital I.
        (Some(first), Some(_)) => first,
        _ => c,
    }
}

/// Go's `unicode.ToTitle`: as upper case, but for the letters that are two in one.
#[must_use]
pub fn to_title(c: char) -> char {
    match c {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        _ => to_upper(c),
    }
}
