//! Functions whose answers are random or of the moment: what is compared of them, and the cases.
//!
//! Both sides answer, and [`shape`] leaves of each answer what does not change from run to run: the length and alphabet
//! of a random text, the fields of a certificate without its numbers, a list without its order. Errors are compared as
//! they are.

use super::shape::shape;
use super::{Answer, Case};
use crate::encoding::{base64, from_base64};

/// `@name` in a case stands for this text.
const TEXTS: &[(&str, &str)] = &[
    ("@rsa-pkcs8", include_str!("../../data/template/keys/rsa-pkcs8.pem")),
    ("@rsa-short", include_str!("../../data/template/keys/rsa-short.pem")),
    ("@rsa", include_str!("../../data/template/keys/rsa.pem")),
    ("@ec-pkcs8", include_str!("../../data/template/keys/ec-pkcs8.pem")),
    ("@ec384", include_str!("../../data/template/keys/ec384.pem")),
    ("@ec521", include_str!("../../data/template/keys/ec521.pem")),
    ("@ec", include_str!("../../data/template/keys/ec.pem")),
    ("@ed25519", include_str!("../../data/template/keys/ed25519.pem")),
    ("@x25519", include_str!("../../data/template/keys/x25519.pem")),
    ("@dsa", include_str!("../../data/template/keys/dsa.pem")),
    ("@k256", include_str!("../../data/template/keys/k256.pem")),
    ("@ca-ec", include_str!("../../data/template/keys/ca-ec.pem")),
    ("@ca", include_str!("../../data/template/keys/ca.pem")),
];

/// A case and the function it is about.
#[must_use]
pub fn cases() -> Vec<(&'static str, Case)> {
    let mut cases = Vec::new();
    for (function, operands) in CASES {
        for operands in *operands {
            cases.push((*function, Case::new(template(function, operands))));
        }
    }
    cases
}

/// A case that is no whole template is the operands of a call.
fn template(function: &str, operands: &str) -> String {
    let mut template = if operands.contains("{{") {
        operands.to_owned()
    } else {
        format!("{{{{ {function} {operands} }}}}")
    };
    for (name, text) in TEXTS {
        template = template.replace(name, &format!("{text:?}"));
    }
    template
}

/// What is compared of an answer.
#[must_use]
pub fn normalised(function: &str, template: &str, answer: &Answer) -> Answer {
    match answer {
        Answer::Ok(text) => {
            let text = from_base64(text).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            Answer::Ok(base64(shape(function, template, &text).as_bytes()))
        }
        Answer::Parse(_) | Answer::Error(_) => answer.clone(),
    }
}

const CASES: &[(&str, &[&str])] = &[
    ("randAlpha", RANDOM_TEXTS),
    ("randAlphaNum", RANDOM_TEXTS),
    ("randAscii", RANDOM_TEXTS),
    ("randNumeric", RANDOM_TEXTS),
    (
        "randBytes",
        &[
            "0", "1", "2", "3", "4", "5", "16", "31", "32", "33", "64", "100", "255", "1000", "-1", "\"3\"", "1.5", "nil", "",
            "1 2", ".n", ".i", ".nil",
        ],
    ),
    (
        "randInt",
        &[
            "0 1", "5 6", "-1 0", "0 10", "0 100", "-10 10", "1 1", "2 1", "0 9223372036854775807", "100 200", "7 8", "0 2",
            "-5 -4", "-100 -1", "1", "", "1 2 3", "\"1\" 2", "1.5 2", "nil 1", ".i 43", ".n 4",
        ],
    ),
    (
        "uuidv4",
        &[
            "",
            "{{ uuidv4 }}{{ uuidv4 }}",
            "1",
            "\"x\"",
            "nil",
            "{{ uuidv4 | upper }}",
            "{{ uuidv4 | len }}",
            "{{ uuidv4 | trunc 8 | len }}",
            "{{ uuidv4 | replace \"-\" \"\" | len }}",
            "{{ ne uuidv4 uuidv4 }}",
            "{{ regexMatch \"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$\" uuidv4 }}",
            "{{ uuidv4 | splitList \"-\" | len }}",
            "{{ range until 3 }}{{ uuidv4 }}\n{{ end }}",
            "{{ printf \"%T\" uuidv4 }}",
            "{{ uuidv4 | quote | len }}",
            "{{ typeOf uuidv4 }}",
            "{{ kindOf uuidv4 }}",
            "{{ list uuidv4 uuidv4 | uniq | len }}",
            "{{ dict \"a\" uuidv4 | keys }}",
            "{{ uuidv4 1 2 }}",
        ],
    ),
    (
        "shuffle",
        &[
            "\"\"", "\"a\"", "\"ab\"", "\"hello\"", "\"aaa\"", "\"abcdefghijklmnop\"", ".s", ".uni", ".lines", "\"héé☃\"",
            "1", "nil", "", "\"a\" \"b\"", ".list", ".nil", ".html", ".bytes", "\"\\xff\\xfe\"", "\" \"", "\"\\t\\n\"", ".i",
        ],
    ),
    (
        "keys",
        &[
            "(dict)", "(dict \"a\" 1)", "(dict \"a\" 1 \"b\" 2 \"c\" 3)", ".m", ".m2", ".em", ".m .m2", ".m .m .em", "nil",
            ".nil", ".s", ".list", "", "1", ".sm", "(dict \"b\" 1) (dict \"b\" 2)", "{{ keys .m | sortAlpha }}",
            "{{ keys .m .m2 | uniq | sortAlpha | join \",\" }}", "{{ printf \"%T\" (keys .m) }}", "{{ keys .m | len }}",
            "{{ keys .m | toJson }}", "{{ keys (dict) | toJson }}", "(deepCopy .m)", "{{ .m | keys }}",
            "{{ range keys .em }}x{{ else }}none{{ end }}",
        ],
    ),
    (
        "values",
        &[
            "(dict)", "(dict \"a\" 1)", "(dict \"a\" 1 \"b\" 2 \"c\" 3)", "(dict \"a\" \"x\" \"b\" nil)", ".em", "nil", ".nil",
            ".s", ".list", "", "1", ".sm", ".m .m2", "{{ values (dict \"a\" 1) | toJson }}", "{{ printf \"%T\" (values .m) }}",
            "{{ values .m | len }}", "{{ values (dict \"a\" \"z\" \"b\" \"y\") | sortAlpha }}", "{{ values (dict) | toJson }}",
            "{{ .em | values }}", "{{ values (dict \"k\" (list 1 2)) }}", "{{ values .m2 | len }}",
            "{{ range values .em }}x{{ else }}none{{ end }}",
        ],
    ),
    (
        "now",
        &[
            "",
            "{{ now | date \"2006-01-02\" }}",
            "{{ now | date \"15:04:05\" }}",
            "{{ now | date \"2006-01-02T15:04:05Z07:00\" }}",
            "{{ now | date \"Mon Jan\" }}",
            "{{ now | date \"Monday, 02-Jan-06 15:04:05 MST\" }}",
            "{{ now | unixEpoch }}",
            "{{ now | htmlDate }}",
            "{{ now.Year }}",
            "{{ now.Unix }}",
            "{{ now.UTC.Format \"06\" }}",
            "{{ printf \"%T\" now }}",
            "{{ typeOf now }}",
            "{{ kindOf now }}",
            "{{ now.Location }}",
            "{{ now | dateModify \"1h\" | date \"2006\" }}",
            "{{ (now | dateModify \"24h\").Sub now | printf \"%T\" }}",
            "{{ now.Before (now | dateModify \"24h\") }}",
            "{{ now.IsZero }}",
            "{{ now.Zone }}",
            "1",
            "nil",
            "{{ now | toJson | len | lt 20 }}",
            "{{ now.UTC | toString | trunc 10 }}",
        ],
    ),
    (
        "ago",
        &[
            ".time", "now", "(now | dateModify \"-90s\")", "(now | dateModify \"-36h\")", "1500000000", "(int64 1600000000)",
            "0", ".nil", "nil", "\"x\"", "", "1 2", ".i", ".dur", "(toDate \"2006-01-02\" \"2020-01-01\")",
            "{{ printf \"%T\" (ago .time) }}", "{{ ago .time | typeOf }}", ".list", ".m", "1.5", "{{ .time | ago }}", "true",
        ],
    ),
    ("date", OF_NOW),
    ("dateInZone", OF_NOW_IN_ZONE),
    ("date_in_zone", OF_NOW_IN_ZONE),
    ("htmlDate", &["\"x\"", ".nil", "nil", ".list", "true", "1.5", ".s", "now"]),
    ("htmlDateInZone", &["\"x\" \"UTC\"", ".nil \"UTC\"", "now \"Asia/Kolkata\"", ".list \"\"", "now \"Nowhere\""]),
    ("bcrypt", PASSWORDS),
    (
        "htpasswd",
        &[
            "\"u\" \"p\"", "\"user\" \"\"", "\"\" \"p\"", "\"a:b\" \"p\"", "\":\" \"\"", "\"u\" \"pässwörd\"", ".s .s", "\"u\" .uni",
            "\"u\" (repeat 72 \"x\")", "\"u\" (repeat 73 \"x\")", "\"u\" (repeat 100 \"ab\")", "\"u\"", "", "1 2", "nil \"p\"",
            "\"u\" nil", "\"u\" 1", "\"ü\" \"p\"", "\"u\" \"p\" \"q\"", "\"u u\" \"p p\"", "\"u\" \"\\x00\"", "\"u\" \"a\\x00b\"",
        ],
    ),
    ("encryptAES", ENCRYPT),
    ("decryptAES", DECRYPT),
    ("derivePassword", DERIVE),
    ("genPrivateKey", PRIVATE_KEYS),
    ("genCA", AUTHORITIES),
    ("genCAWithKey", AUTHORITIES_WITH_KEY),
    ("genSelfSignedCert", SELF_SIGNED),
    ("genSelfSignedCertWithKey", SELF_SIGNED_WITH_KEY),
    ("genSignedCert", SIGNED),
    ("genSignedCertWithKey", SIGNED_WITH_KEY),
    ("buildCustomCert", CUSTOM),
];

const RANDOM_TEXTS: &[&str] = &[
    "0", "1", "2", "3", "5", "8", "10", "16", "20", "32", "64", "100", "255", "1000", "-1", "-100", "", "1 2", "\"5\"", "1.5",
    "nil", ".n", ".i", ".nil", "true",
];

const OF_NOW: &[&str] = &[
    "\"2006-01-02\" \"x\"", "\"15:04\" .nil", "\"Jan\" nil", "\"2006\" .list", "\"Mon\" true", "\"06\" .s", "\"x\" 1.5",
    "\"2006-01-02\" now", "\"3:04PM\" .m",
];

const OF_NOW_IN_ZONE: &[&str] = &[
    "\"2006-01-02\" \"x\" \"UTC\"", "\"15:04\" .nil \"Europe/Berlin\"", "\"Jan\" nil \"UTC\"", "\"MST\" now \"Asia/Tokyo\"",
    "\"-07:00\" now \"Asia/Kolkata\"", "\"2006\" now \"Nowhere\"",
];

const PASSWORDS: &[&str] = &[
    "\"\"", "\"a\"", "\"password\"", "\"pässwörd\"", ".s", ".uni", ".lines", "(repeat 71 \"x\")", "(repeat 72 \"x\")",
    "(repeat 73 \"x\")", "(repeat 36 \"ü\")", "(repeat 37 \"ü\")", "(repeat 1000 \"x\")", "1", "nil", "", "\"a\" \"b\"", ".nil",
    ".list", "\"\\x00\"", "\"a\\x00b\"", "\"\\xff\"", ".i",
];

const ENCRYPT: &[&str] = &[
    "\"k\" \"\"", "\"k\" \"a\"", "\"k\" \"0123456789abcde\"", "\"k\" \"0123456789abcdef\"", "\"k\" \"0123456789abcdefg\"",
    "\"\" \"text\"", "(repeat 32 \"k\") .s", "(repeat 33 \"k\") .s", "\"k\" .uni", "\"k\" (repeat 100 \"x\")", "\"k\"", "", "1 2",
    "nil \"x\"", "\"k\" nil", ".nil \"x\"", "\"k\" .list", "\"k\" \"a\" \"b\"", "{{ encryptAES \"k\" .s | decryptAES \"k\" }}",
    "{{ encryptAES \"\" .uni | decryptAES \"\" }}", "{{ encryptAES (repeat 40 \"ü\") .html | decryptAES (repeat 40 \"ü\") }}",
    "{{ encryptAES \"k\" \"0123456789abcdef\" | decryptAES \"k\" }}", "{{ encryptAES \"k\" (repeat 1000 \"z\") | decryptAES \"k\" }}",
    "{{ encryptAES \"k\" \"\\x00\\xff\" | decryptAES \"k\" | printf \"%x\" }}",
];

/// Texts that the Go library encrypted, and texts that nothing encrypted.
const DECRYPT: &[&str] = &[
    "\"k\" \"\"", "\"k\" \"AAAA\"", "\"k\" \"!\"", "\"k\" \"AAAAAAAAAAAAAAAAAAAAAA==\"", "\"k\" \"AAAAAAAAAAAAAAAAAAAA\"",
    "\"k\" \"AAAAAAAAAAAAAAAAAAAAAAA=\"", "\"k\" \"AAAAAAAAAAAAAAAAAAAAAAAA\"", "\"k\" \"YWJj\\nZGVm\"", "\"k\" \"A\"",
    "\"k\" \"AAA=\"", "\"k\" \"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"", "\"k\" (b64enc (repeat 48 \"x\"))",
    "\"other\" (b64enc (repeat 48 \"x\"))", "\"\" (b64enc (repeat 32 \"y\"))", "\"k\"", "", "1 2", "nil \"\"", "\"k\" nil",
    "\"k\" .list", "\"k\" (b64enc (repeat 17 \"x\"))", "\"k\" (b64enc (repeat 31 \"x\"))", "\"k\" (b64enc (repeat 64 \"ab\"))",
    "\"a\" (b64enc (repeat 32 \"q\"))", "\"b\" (b64enc (repeat 32 \"q\"))", "\"c\" (b64enc (repeat 32 \"q\"))",
];

const DERIVE: &[&str] = &[
    "1 \"long\" \"password\" \"user\" \"example.com\"", "2 \"long\" \"password\" \"user\" \"example.com\"",
    "1 \"maximum\" \"password\" \"user\" \"example.com\"", "1 \"medium\" \"password\" \"user\" \"example.com\"",
    "1 \"short\" \"password\" \"user\" \"example.com\"", "1 \"basic\" \"password\" \"user\" \"example.com\"",
    "1 \"pin\" \"password\" \"user\" \"example.com\"", "0 \"long\" \"\" \"\" \"\"", "4294967295 \"long\" \"p\" \"u\" \"s\"",
    "4294967296 \"long\" \"p\" \"u\" \"s\"", "1 \"long\" .uni .uni .uni", "1 \"long\" (repeat 200 \"p\") (repeat 200 \"u\") (repeat 200 \"s\")",
    "3 \"maximum\" \"a\" \"b\" \"c\"", "4 \"maximum\" \"a\" \"b\" \"c\"", "7 \"long\" \"a\" \"b\" \"d\"", "8 \"basic\" \"a\" \"b\" \"d\"",
    "1 \"\" \"p\" \"u\" \"s\"", "1 \"nope\" \"p\" \"u\" \"s\"", "-1 \"long\" \"p\" \"u\" \"s\"", "1.0 \"long\" \"p\" \"u\" \"s\"",
    "1.5 \"long\" \"p\" \"u\" \"s\"", ".n \"long\" \"p\" \"u\" \"s\"", ".i \"long\" \"p\" \"u\" \"s\"", "\"1\" \"long\" \"p\" \"u\" \"s\"",
    "1 \"long\" \"p\" \"u\"", "", "1 \"long\" nil \"u\" \"s\"", "1 nil \"p\" \"u\" \"s\"", "9 \"short\" \"x\" \"y\" \"z\"",
    "10 \"pin\" \"x\" \"y\" \"z\"",
];

const PRIVATE_KEYS: &[&str] = &[
    "\"rsa\"", "\"dsa\"", "\"ecdsa\"", "\"ed25519\"", "\"RSA\"", "\"x\"", "\" rsa\"", "\"ec\"", "\"rsa2048\"", "\"ed448\"", ".uni", "1", "nil", ".nil",
    ".list", "\"ecdsa\" 1", "{{ genPrivateKey \"ecdsa\" | len | lt 200 }}", "{{ genPrivateKey \"ed25519\" | len }}",
    "{{ ne (genPrivateKey \"ecdsa\") (genPrivateKey \"ecdsa\") }}", "{{ genPrivateKey \"ecdsa\" | b64enc | len | lt 270 }}",
    "{{ printf \"%T\" (genPrivateKey \"ed25519\") }}", "{{ genPrivateKey }}", "{{ genPrivateKey \"\" | contains \"RSA PRIVATE\" }}",
];

const AUTHORITIES: &[&str] = &[
    "{{ $c := genCA \"ca\" 365 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCA \"\" 1 }}{{ $c.Cert }}",
    "{{ $c := genCA \"*.example.com\" 0 }}{{ $c.Cert }}",
    "{{ $c := genCA \"a&b\" -1 }}{{ $c.Cert }}",
    "{{ $c := genCA \"héé\" 36500 }}{{ $c.Cert }}",
    "{{ $c := genCA \"it's (a), b+c-d./:=?\" 10000 }}{{ $c.Cert }}",
    "{{ $c := genCA \"far\" 100000 }}{{ $c.Cert }}",
    "{{ $c := genCA \"\\xff\" 1 }}{{ $c.Cert }}",
    "{{ printf \"%T\" (genCA \"a\" 1) }}",
    "{{ kindOf (genCA \"a\" 1) }}",
    "{{ (genCA \"a\" 1).Key }}",
    "{{ (genCA \"a\" 1).Nope }}",
    "{{ genCA \"a\" 1 | toJson | len | lt 2500 }}",
    "{{ genCA \"a\" \"1\" }}",
    "{{ genCA \"a\" 1.5 }}",
    "{{ genCA \"a\" }}",
    "{{ genCA 1 1 }}",
    "{{ genCA nil 1 }}",
    "{{ genCA \"a\" nil }}",
    "{{ genCA \"a\" 1 2 }}",
    "{{ genCA .nil 1 }}",
    "{{ genCA \"a\" .n }}",
    "{{ typeOf (genCA \"a\" 1) }}",
    "{{ (genCA (repeat 200 \"x\") .i).Cert }}",
];

const AUTHORITIES_WITH_KEY: &[&str] = &[
    "{{ $c := genCAWithKey \"ca\" 365 @rsa }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCAWithKey \"ca\" 365 @rsa-pkcs8 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCAWithKey \"ca\" 365 @ec }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCAWithKey \"ca\" 365 @ec-pkcs8 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCAWithKey \"ca\" 365 @ec384 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCAWithKey \"ca\" 365 @ec521 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genCAWithKey \"ca\" 365 @ed25519 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ genCAWithKey \"ca\" 365 @x25519 }}",
    "{{ genCAWithKey \"ca\" 365 @dsa }}",
    "{{ genCAWithKey \"ca\" 365 @k256 }}",
    "{{ genCAWithKey \"ca\" 365 @rsa-short }}",
    "{{ genCAWithKey \"ca\" 365 @ca }}",
    "{{ genCAWithKey \"ca\" 365 \"\" }}",
    "{{ genCAWithKey \"ca\" 365 \"junk\" }}",
    "{{ genCAWithKey \"ca\" 365 \"-----BEGIN RSA PRIVATE KEY-----\\n-----END RSA PRIVATE KEY-----\\n\" }}",
    "{{ genCAWithKey \"ca\" 365 \"-----BEGIN X PRIVATE KEY-----\\nAAAA\\n-----END X PRIVATE KEY-----\\n\" }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"RSA\" \"EC\" @rsa) }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"EC\" \"RSA\" @ec) }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"EC \" \"\" @ec) }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"RSA \" \"\" @rsa) }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"PRIVATE\" \"RSA PRIVATE\" @rsa-pkcs8) }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"PRIVATE\" \"EC PRIVATE\" @ec-pkcs8) }}",
    "{{ (genCAWithKey \"ca\" 365 (printf \"text before\\n%s\" @ec)).Cert }}",
    "{{ (genCAWithKey \"ca\" 365 (printf \"%s%s\" @ec @rsa)).Cert }}",
    "{{ (genCAWithKey \"ca\" 365 (replace \"\\n\" \"\\r\\n\" @ec)).Cert }}",
    "{{ genCAWithKey \"ca\" 365 (replace \"\\n\" \" \" @ec) }}",
    "{{ genCAWithKey \"ca\" 365 (trim @ec) | typeOf }}",
    "{{ genCAWithKey \"ca\" 365 (indent 2 @ec) }}",
    "{{ genCAWithKey \"ca\" 365 nil }}",
    "{{ genCAWithKey \"ca\" 365 }}",
    "{{ genCAWithKey \"ca\" 365 1 }}",
    "{{ (genCAWithKey \"\" 1 @ed25519).Cert }}",
];

const SELF_SIGNED: &[&str] = &[
    "{{ $c := genSelfSignedCert \"a.b\" nil nil 365 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genSelfSignedCert \"a.b\" (list) (list) 365 }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCert \"a.b\" (list \"10.0.0.1\" \"::1\" \"::ffff:1.2.3.4\") (list \"x\" \"*.y\") 365 }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCert \"\" (list \"1.1.1.1\") nil 365 }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCert \"\" nil (list \"x\") 365 }}{{ $c.Cert }}",
    "{{ genSelfSignedCert \"a\" (list \"1.1.1\") nil 365 }}",
    "{{ genSelfSignedCert \"a\" (list \"01.1.1.1\") nil 365 }}",
    "{{ genSelfSignedCert \"a\" (list \"fe80::1%eth0\") nil 365 }}",
    "{{ genSelfSignedCert \"a\" (list 1) nil 365 }}",
    "{{ genSelfSignedCert \"a\" (list nil) nil 365 }}",
    "{{ genSelfSignedCert \"a\" nil (list 1) 365 }}",
    "{{ genSelfSignedCert \"a\" nil (list (list \"x\" 1.5)) 365 }}",
    "{{ genSelfSignedCert \"a\" nil (list \"é\") 365 }}",
    "{{ genSelfSignedCert \"a\" nil (list \"\\xff\") 365 }}",
    "{{ (genSelfSignedCert \"a\" nil (list \"\") 365).Cert }}",
    "{{ genSelfSignedCert \"a\" \"1.1.1.1\" nil 365 }}",
    "{{ genSelfSignedCert \"a\" (splitList \",\" \"1.1.1.1\") nil 365 }}",
    "{{ genSelfSignedCert \"a\" .strs nil 365 }}",
    "{{ genSelfSignedCert \"a\" nil .list }}",
    "{{ genSelfSignedCert \"a\" .nil nil 365 }}",
    "{{ (genSelfSignedCert \"a\" .el .list 365).Cert }}",
    "{{ genSelfSignedCert \"a\" nil nil \"365\" }}",
    "{{ genSelfSignedCert }}",
];

const SELF_SIGNED_WITH_KEY: &[&str] = &[
    "{{ $c := genSelfSignedCertWithKey \"a.b\" nil nil 365 @rsa }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genSelfSignedCertWithKey \"a.b\" (list \"1.2.3.4\" \"2001:db8::\") (list \"c.d\") 365 @ec }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a.b\" nil (list \"c.d\") 365 @ec384 }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a.b\" nil (list \"c.d\") 365 @ec521 }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a.b\" nil (list \"c.d\") 365 @ed25519 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := genSelfSignedCertWithKey \"\" nil nil 365 @ec }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"\" nil (list \"x\") 36500 @ec }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a\" nil nil 0 @ec }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a\" nil nil -400 @ec }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a\" nil nil 106752 @ec }}{{ $c.Cert }}",
    "{{ $c := genSelfSignedCertWithKey \"a\" nil nil 9223372036854775807 @ec }}{{ $c.Cert }}",
    "{{ genSelfSignedCertWithKey \"a\" (list \"x\") nil 365 @ec }}",
    "{{ genSelfSignedCertWithKey \"a\" (list \"x\") nil 365 \"junk\" }}",
    "{{ genSelfSignedCertWithKey \"a\" nil (list \"ü\") 365 @ec }}",
    "{{ genSelfSignedCertWithKey \"\\xfe\" nil nil 365 @ec }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 @dsa }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 @x25519 }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 @rsa-short }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 @ca }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 1 }}",
    "{{ genSelfSignedCertWithKey \"a\" nil nil 365 (genPrivateKey \"ecdsa\") | typeOf }}",
    "{{ (genSelfSignedCertWithKey \"a\" nil nil 365 (genPrivateKey \"ed25519\")).Cert }}",
];

const SIGNED: &[&str] = &[
    "{{ $ca := genCAWithKey \"ca\" 365 @rsa }}{{ $c := genSignedCert \"a\" nil nil 10 $ca }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ $c := genSignedCert \"a\" (list \"1.1.1.1\") (list \"b\") 10 $ca }}{{ $c.Cert }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ed25519 }}{{ $c := genSignedCert \"a\" nil nil 10 $ca }}{{ $c.Cert }}",
    "{{ $ca := genCAWithKey \"same\" 365 @ec }}{{ $c := genSignedCert \"same\" nil nil 10 $ca }}{{ $c.Cert }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @rsa) }}{{ $c := genSignedCert \"a\" nil nil 10 $ca }}{{ $c.Cert }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @ec) }}{{ genSignedCert \"a\" nil nil 10 $ca }}",
    "{{ $ca := buildCustomCert (b64enc @ca-ec) (b64enc @ec) }}{{ $c := genSignedCert \"a\" nil nil 10 $ca }}{{ $c.Cert }}",
    "{{ $ca := genSelfSignedCertWithKey \"no-ca\" nil nil 365 @ec }}{{ $c := genSignedCert \"a\" nil nil 10 $ca }}{{ $c.Cert }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @dsa) }}{{ genSignedCert \"a\" nil nil 10 $ca }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @x25519) }}{{ genSignedCert \"a\" nil nil 10 $ca }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @rsa-short) }}{{ genSignedCert \"a\" nil nil 10 $ca }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCert \"a\" (list \"x\") nil 10 $ca }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCert \"a\" nil (list 1) 10 $ca }}",
    "{{ genSignedCert \"a\" nil nil 10 nil }}",
    "{{ genSignedCert \"a\" nil nil 10 .nil }}",
    "{{ genSignedCert \"a\" nil nil 10 .m }}",
    "{{ genSignedCert \"a\" nil nil 10 (dict \"Cert\" \"x\" \"Key\" \"y\") }}",
    "{{ genSignedCert \"a\" nil nil 10 \"ca\" }}",
    "{{ genSignedCert \"a\" nil nil 10 }}",
    "{{ genSignedCert \"a\" nil nil \"10\" (genCAWithKey \"ca\" 365 @ec) }}",
    "{{ genSignedCert \"a\" nil nil 10 1 }}",
    "{{ (genSignedCert \"\" nil (list \"q\") 10 (genCAWithKey \"\" 365 @ec)).Cert }}",
];

const SIGNED_WITH_KEY: &[&str] = &[
    "{{ $ca := genCAWithKey \"ca\" 365 @rsa }}{{ $c := genSignedCertWithKey \"a\" nil nil 10 $ca @ec }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ $c := genSignedCertWithKey \"a\" nil nil 10 $ca @rsa }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec384 }}{{ $c := genSignedCertWithKey \"a\" (list \"::\") (list \"b\") 10 $ca @ec }}{{ $c.Cert }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec521 }}{{ $c := genSignedCertWithKey \"a\" nil nil 10 $ca @ed25519 }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ed25519 }}{{ $c := genSignedCertWithKey \"a\" nil nil 10 $ca @ec521 }}{{ $c.Cert }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ $c := genSignedCertWithKey \"a\" nil nil 10 $ca @rsa-short }}{{ $c.Cert }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ $c := genSignedCertWithKey \"a\" nil nil 10 $ca @rsa-pkcs8 }}{{ $c.Key }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCertWithKey \"a\" nil nil 10 $ca @dsa }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCertWithKey \"a\" nil nil 10 $ca @x25519 }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCertWithKey \"a\" nil nil 10 $ca \"junk\" }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCertWithKey \"a\" nil nil 10 $ca @k256 }}",
    "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ genSignedCertWithKey \"a\" (list \"z\") nil 10 $ca @ec }}",
    "{{ $ca := genCAWithKey \"a\" 365 @ec }}{{ (genSignedCertWithKey \"a\" nil nil 10 $ca @ec).Cert }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @ec) }}{{ genSignedCertWithKey \"a\" nil nil 10 $ca @ec }}",
    "{{ $ca := buildCustomCert (b64enc @ca) (b64enc @rsa) }}{{ (genSignedCertWithKey \"a\" nil nil 10 $ca @ec).Cert }}",
    "{{ $ca := buildCustomCert (b64enc @ca-ec) (b64enc @ec-pkcs8) }}{{ (genSignedCertWithKey \"a\" nil nil 10 $ca @ec).Cert }}",
    "{{ genSignedCertWithKey \"a\" nil nil 10 nil @ec }}",
    "{{ genSignedCertWithKey \"a\" nil nil 10 .m @ec }}",
    "{{ genSignedCertWithKey \"a\" nil nil 10 (genCAWithKey \"ca\" 365 @ec) }}",
    "{{ genSignedCertWithKey \"a\" nil nil 10 (genCAWithKey \"ca\" 365 @ec) nil }}",
    "{{ genSignedCertWithKey \"a\" nil nil 10 (genCAWithKey \"ca\" 365 @ec) 1 }}",
    "{{ genSignedCertWithKey }}",
];

const CUSTOM: &[&str] = &[
    "{{ $c := buildCustomCert (b64enc @ca) (b64enc @rsa) }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := buildCustomCert (b64enc @ca-ec) (b64enc @ec) }}{{ $c.Cert }}{{ $c.Key }}",
    "{{ $c := buildCustomCert (b64enc @ca) (b64enc @ed25519) }}{{ $c.Key }}",
    "{{ $c := buildCustomCert (b64enc (printf \"before\\n%safter\" @ca)) (b64enc @ec) }}{{ $c.Cert }}",
    "{{ buildCustomCert \"\" \"\" }}",
    "{{ buildCustomCert \"!\" \"\" }}",
    "{{ buildCustomCert \"\" \"!\" }}",
    "{{ buildCustomCert (b64enc \"x\") (b64enc \"y\") }}",
    "{{ buildCustomCert (b64enc @ca) (b64enc \"y\") }}",
    "{{ buildCustomCert (b64enc @ca) (b64enc @ca) }}",
    "{{ buildCustomCert (b64enc @rsa) (b64enc @rsa) }}",
    "{{ buildCustomCert (b64enc @ca) (b64enc @k256) }}",
    "{{ buildCustomCert (b64enc @ca) (b64enc @dsa) | typeOf }}",
    "{{ buildCustomCert (b64enc @ca) (b64enc @rsa-short) | typeOf }}",
    "{{ buildCustomCert (b64enc \"-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----\\n\") \"\" }}",
    "{{ buildCustomCert (b64enc \"-----BEGIN CERTIFICATE-----\\n-----END CERTIFICATE-----\\n\") \"\" }}",
    "{{ buildCustomCert (b64enc \"-----BEGIN CERTIFICATE-----\\nMAA=\\n-----END CERTIFICATE-----\\n\") \"\" }}",
    "{{ buildCustomCert (b64enc \"-----BEGIN CERTIFICATE-----\\nMAIwAA==\\n-----END CERTIFICATE-----\\n\") \"\" }}",
    "{{ buildCustomCert @ca @rsa }}",
    "{{ buildCustomCert (b64enc @ca) }}",
    "{{ buildCustomCert nil nil }}",
    "{{ buildCustomCert 1 2 }}",
    "{{ buildCustomCert .nil .s }}",
];
