//! What random functions draw is the same in every version: an upgrade that changes a byte of a key fails here. And
//! what they make is what others take for keys, certificates, ciphertexts and hashes.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::process::Command;
use std::sync::Arc;

use convoy_helm::KeyedEntropy;
use convoy_sprig::Randomness;
use convoy_template::value::Time;
use convoy_template::{Context, Limits, TemplateSet, Value};
use convoy_testkit_golden::template::{Answer, Case, oracle, ours};
use convoy_testkit_golden::{components, encoding::from_base64};
use sha2::{Digest as _, Sha256};

/// Draws of one release at one instant.
fn drawn(template: &str) -> String {
    drawn_at(template, 1_700_000_000)
}

fn drawn_at(template: &str, seconds: i64) -> String {
    let mut set = TemplateSet::new(ours::functions());
    set.parse("t", template).unwrap();
    let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default());
    context.put_state(Randomness::new(
        Time::unix(seconds, 0),
        KeyedEntropy::new(b"an installation's key", "ns", "release", 0),
    ));
    String::from_utf8(context.execute("t", Value::Nil).unwrap()).unwrap()
}

const KEY: &str = include_str!("../data/template/keys/ec.pem");
const RSA: &str = include_str!("../data/template/keys/rsa.pem");
const ED25519: &str = include_str!("../data/template/keys/ed25519.pem");

fn with_keys(template: &str) -> String {
    template
        .replace("@ec", &format!("{KEY:?}"))
        .replace("@rsa", &format!("{RSA:?}"))
        .replace("@ed25519", &format!("{ED25519:?}"))
}

/// Templates, and the first half of the SHA-256 of what they write. A change here is a change of every key that
/// anybody has.
const PINNED: &[(&str, &str)] = &[
    ("{{ genPrivateKey \"rsa\" }}", "420c7a9c0fb893f0cae9418a28cb8f70"),
    ("{{ genPrivateKey \"dsa\" }}", "c5541b725d609bf2137b2c7e382dbdd3"),
    ("{{ genPrivateKey \"ecdsa\" }}", "defc1d9efab7de46f08449f842ce1011"),
    ("{{ genPrivateKey \"ed25519\" }}", "6288eed28dfa3adce13313be1b40b2c2"),
    (
        "{{ $c := genCA \"ca\" 365 }}{{ $c.Cert }}{{ $c.Key }}",
        "57c87883e33b4cf7e6be3deac26e37e9",
    ),
    (
        "{{ $c := genSelfSignedCert \"a\" (list \"1.2.3.4\") (list \"b\") 365 }}{{ $c.Cert }}{{ $c.Key }}",
        "bd5d022c5c571a17fec2e40f764077fe",
    ),
    (
        "{{ $ca := genCA \"ca\" 365 }}{{ $c := genSignedCert \"a\" nil (list \"b\") 365 $ca }}{{ $c.Cert }}{{ $c.Key }}",
        "ef1589b7a06d0636307576a865052766",
    ),
    (
        "{{ $c := genCAWithKey \"ca\" 365 @rsa }}{{ $c.Cert }}{{ $c.Key }}",
        "8e149573f9a86ea60ab51d4e7bfa6245",
    ),
    (
        "{{ $c := genCAWithKey \"ca\" 365 @ec }}{{ $c.Cert }}{{ $c.Key }}",
        "bb249399af5ae06c8fa5af62057d63c6",
    ),
    (
        "{{ $c := genSelfSignedCertWithKey \"a\" nil nil 365 @ed25519 }}{{ $c.Cert }}{{ $c.Key }}",
        "b2920b7dcc09c8c65034add554884f37",
    ),
    (
        "{{ $ca := genCAWithKey \"ca\" 365 @ec }}{{ $c := genSignedCertWithKey \"a\" nil nil 365 $ca @rsa }}{{ $c.Cert }}",
        "fa20215b9701c990181ab0dc771ee26d",
    ),
    ("{{ encryptAES \"k\" \"text\" }}", "42a33a778861a436b2bb2d20bf4ec22e"),
    ("{{ bcrypt \"p\" }}", "706b5550b610d87ac2f6515b3dd234a3"),
    ("{{ htpasswd \"u\" \"p\" }}", "a19351cd5683c4b13e951dd467bae14e"),
    ("{{ randAlpha 40 }}", "59a8fc0ba8d715cdb1a14abf6be7b646"),
    (
        "{{ randAlphaNum 40 }}{{ randAlphaNum 40 }}",
        "02a6800ac961115c14e91a4ab7a4c2f8",
    ),
    ("{{ randAscii 40 }}", "2812784792d6b9ce1d11102e3bb2a4f8"),
    ("{{ randNumeric 40 }}", "30caccc4e96517f33bd0cacedd94d977"),
    ("{{ randBytes 40 }}", "a3a206b8a44f51cf792a334ffb020e2d"),
    ("{{ randInt 0 1000000 }}", "c9a76ef4703476b0d310f173ed77c88a"),
    ("{{ uuidv4 }}", "dfc726ed9560630e21ae9575da532aa6"),
    ("{{ shuffle \"abcdefghijklmnop\" }}", "649940fd8c9deb16d97c7f6caf37a739"),
];

#[test]
fn an_upgrade_changes_no_byte_of_what_is_drawn() {
    let mut changed = Vec::new();
    for (template, expect) in PINNED {
        let text = drawn(&with_keys(template));
        assert_eq!(text, drawn(&with_keys(template)), "{template}");
        let digest: [u8; 32] = Sha256::digest(&text).into();
        let hash = format!("{:032x}", u128::from_be_bytes(*digest.first_chunk().unwrap()));
        if hash != *expect {
            changed.push(format!("({template:?}, {hash:?}),"));
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn a_certificate_that_is_made_again_later_has_its_key_and_another_number() {
    let template = "{{ $ca := genCA \"ca\" 1 }}{{ $c := genSignedCert \"a\" nil nil 1 $ca }}{{ $ca.Key }}{{ $c.Key }}|{{ $ca.Cert }}{{ $c.Cert }}";
    let [first, later] = [1_700_000_000, 1_800_000_000].map(|seconds| drawn_at(template, seconds));
    let (keys, certificates) = first.split_once('|').unwrap();
    let (same, others) = later.split_once('|').unwrap();
    assert_eq!(keys, same);
    assert_ne!(certificates, others);
}

/// Runs openssl, which every system that builds convoy has or this is skipped.
#[expect(clippy::print_stdout, reason = "a test that is skipped must say so")]
fn openssl(arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new("openssl").args(arguments).output() else {
        println!("skipped: openssl is absent");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments:?}: {text}");
    Some(text)
}

#[test]
fn openssl_takes_keys_and_verifies_chains() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for kind in ["rsa", "ecdsa", "ed25519", "dsa"] {
        let path = put(kind, &drawn(&format!("{{{{ genPrivateKey {kind:?} }}}}")));
        openssl(&["pkey", "-in", &path, "-check", "-noout"]);
    }
    let authorities = [
        "genCA \"ca\" 3650",
        "genCAWithKey \"ca\" 3650 @rsa",
        "genCAWithKey \"ca\" 3650 @ec",
        "genCAWithKey \"ca\" 3650 @ed25519",
        "genCAWithKey \"ca\" 3650 (genPrivateKey \"ecdsa\")",
    ];
    for authority in authorities {
        let template = format!(
            "{{{{ $ca := {authority} }}}}{{{{ $c := genSignedCert \"a\" (list \"1.2.3.4\" \"::1\") (list \"b.c\") 3650 $ca }}}}\
             {{{{ $d := genSignedCertWithKey \"d\" nil nil 3650 $ca @ec }}}}\
             {{{{ $ca.Cert }}}}|{{{{ $c.Cert }}}}|{{{{ $c.Key }}}}|{{{{ $d.Cert }}}}"
        );
        let text = drawn(&with_keys(&template));
        let [ca, cert, key, other] = text.split('|').collect::<Vec<_>>().try_into().unwrap();
        let [ca, cert, key, other] =
            [("ca", ca), ("cert", cert), ("key", key), ("other", other)].map(|(n, t)| put(n, t));
        for signed in [&cert, &other] {
            let Some(text) = openssl(&["verify", "-no_check_time", "-CAfile", &ca, signed]) else {
                return;
            };
            assert!(text.contains("OK"), "{authority}: {text}");
        }
        let shown = openssl(&["x509", "-in", &cert, "-noout", "-text"]).unwrap();
        for part in [
            "DNS:b.c",
            "IP Address:1.2.3.4",
            "CA:FALSE",
            "TLS Web Server Authentication",
            "Key Encipherment",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let of_cert = openssl(&["x509", "-in", &cert, "-noout", "-pubkey"]);
        assert_eq!(of_cert, openssl(&["pkey", "-in", &key, "-pubout"]));
    }
}

/// Go's Sprig reads what ours made, and ours what Go's made.
#[test]
fn each_side_takes_what_the_other_makes() {
    let base64 = |text: &str| convoy_testkit_golden::encoding::base64(text.as_bytes());
    let chain = drawn(&with_keys(
        "{{ $ca := genCA \"ca\" 9 }}{{ $c := genSignedCert \"a\" nil nil 9 $ca }}{{ $ca.Cert }}|{{ $ca.Key }}|{{ $c.Cert }}|{{ $c.Key }}",
    ));
    let [ca, ca_key, cert, key] = chain.split('|').collect::<Vec<_>>().try_into().unwrap();
    let secret = drawn("{{ encryptAES \"password\" \"the text\" }}");
    let mut cases = vec![
        Case::new(format!("{{{{ decryptAES \"password\" {secret:?} }}}}")),
        Case::new(format!(
            "{{{{ $ca := buildCustomCert {:?} {:?} }}}}{{{{ (genSignedCert \"b\" nil nil 9 $ca).Cert | len | lt 800 }}}}",
            base64(ca),
            base64(ca_key)
        )),
        Case::new(format!(
            "{{{{ (buildCustomCert {:?} {:?}).Cert | len | lt 800 }}}}",
            base64(cert),
            base64(key)
        )),
    ];
    for kind in ["rsa", "dsa", "ecdsa", "ed25519"] {
        let key = drawn(&format!("{{{{ genPrivateKey {kind:?} }}}}"));
        cases.push(Case::new(format!(
            "{{{{ (buildCustomCert {:?} {:?}).Key | len | lt 100 }}}}",
            base64(cert),
            base64(&key)
        )));
    }
    let theirs = "{{ encryptAES \"password\" \"from Go\" }}|{{ $ca := genCA \"ca\" 9 }}{{ $ca.Cert | b64enc }}|{{ $ca.Key | b64enc }}|{{ genPrivateKey \"dsa\" | b64enc }}|{{ bcrypt \"p\" }}";
    cases.push(Case::new(theirs));
    let Some(answers) = oracle::ask(&cases) else { return };
    let mut texts = answers.iter().map(|answer| {
        let Answer::Ok(text) = answer else {
            panic!("{}", oracle::readable(answer))
        };
        String::from_utf8(from_base64(text).unwrap()).unwrap()
    });
    assert_eq!(texts.next().unwrap(), "the text");
    let made = texts.next_back().unwrap();
    assert!(texts.all(|text| text == "true"));
    let [secret, ca, ca_key, dsa, hash] = made.split('|').collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(
        drawn(&format!("{{{{ decryptAES \"password\" {secret:?} }}}}")),
        "from Go"
    );
    let signed = format!(
        "{{{{ $ca := buildCustomCert {ca:?} {ca_key:?} }}}}{{{{ (genSignedCert \"b\" nil nil 9 $ca).Cert | len | lt 800 }}}}"
    );
    assert_eq!(drawn(&signed), "true");
    let read = format!("{{{{ buildCustomCert {ca:?} {dsa:?} | typeOf }}}}");
    assert_eq!(drawn(&read), "sprig.certificate");
    check_password("p", hash);
    check_password("p", &drawn("{{ bcrypt \"p\" }}"));
    check_password("pässwörd", &drawn("{{ bcrypt \"pässwörd\" }}"));
    check_password("", &drawn("{{ bcrypt \"\" }}"));
}

/// Asks Apache's program whether a hash is that of a password.
fn check_password(password: &str, hash: &str) {
    let Some(program) = components::find("htpasswd") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("users");
    fs::write(&path, format!("u:{hash}\n")).unwrap();
    let verify = |password: &str| {
        let output = Command::new(&program)
            .arg("-vb")
            .arg(&path)
            .args(["u", password])
            .output();
        output.unwrap().status.success()
    };
    assert!(verify(password), "{hash}");
    assert!(!verify(&format!("{password}x")), "{hash}");
}
