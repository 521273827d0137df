//! X.509 certificates: what Sprig writes into one, and what it needs of one that it reads.
//!
//! Fields, their order and the choice of string types are those of Go's `crypto/x509`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;

use convoy_template::value::{Time, Zone};
use convoy_template::{CallError, Context};
use sha2::{Digest as _, Sha256};

use super::der::{self, Reader};
use super::ec;
use super::key::{self, PrivateKey, PublicKey};
use crate::number;

type Result<T> = core::result::Result<T, CallError>;

/// 2.5.4.3
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// 2.5.29.14 and its kin: the last number.
const SUBJECT_KEY_ID: u8 = 14;
const KEY_USAGE: u8 = 15;
const ALTERNATIVE_NAMES: u8 = 17;
const BASIC_CONSTRAINTS: u8 = 19;
const AUTHORITY_KEY_ID: u8 = 35;
const EXTENDED_KEY_USAGE: u8 = 37;

/// What a certificate says.
pub(super) struct Template {
    pub(super) common_name: Vec<u8>,
    pub(super) addresses: Vec<IpAddr>,
    pub(super) names: Vec<Vec<u8>>,
    pub(super) not_before: Time,
    pub(super) not_after: Time,
    pub(super) serial: [u8; 16],
    pub(super) is_authority: bool,
}

/// What is needed of a certificate that signs another.
pub(super) struct Issuer {
    subject: Vec<u8>,
    key_id: Vec<u8>,
    /// `None` if its kind is not known.
    public: Option<PublicKey>,
}

/// Makes a certificate for the key `own`, signed with `signer` in the name of `issuer`, or of itself.
pub(super) fn create(
    context: &mut Context,
    template: &Template,
    issuer: Option<&Issuer>,
    own: &PrivateKey,
    signer: &PrivateKey,
) -> Result<Vec<u8>> {
    if !signer.is_signer() {
        return Err(key::NOT_A_SIGNER.into());
    }
    let algorithm = signer.signature_algorithm();
    let public = own.public()?;
    let subject = name_of(&template.common_name)?;
    let issuing = issuer.map_or(&subject, |issuer| &issuer.subject);
    let authority = issuer
        .filter(|_| *issuing != subject)
        .map_or(&[][..], |issuer| &issuer.key_id);
    if let Some(theirs) = issuer.and_then(|issuer| issuer.public.as_ref())
        && *theirs != signer.public()?
    {
        return Err("x509: provided PrivateKey doesn't match parent's PublicKey".into());
    }
    let extensions = extensions(template, subject.len() == 2, authority, &public)?;
    let validity = [time_of(&template.not_before)?, time_of(&template.not_after)?].concat();
    let body = der::sequence(&[
        &der::element(der::context(0), &der::integer(&[2])),
        &der::integer(&template.serial),
        &algorithm,
        issuing,
        &der::element(der::SEQUENCE, &validity),
        &subject,
        &der::sequence(&[&public.algorithm, &der::bit_string(&public.bits)]),
        &der::element(der::context(3), &der::element(der::SEQUENCE, &extensions)),
    ]);
    let signature = signer.sign(context, &body)?;
    Ok(der::sequence(&[&body, &algorithm, &der::bit_string(&signature)]))
}

/// A name of one part, or of none.
fn name_of(common_name: &[u8]) -> Result<Vec<u8>> {
    if common_name.is_empty() {
        return Ok(der::element(der::SEQUENCE, &[]));
    }
    let is_printable = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(byte);
    let tag = if common_name.iter().all(is_printable) {
        der::PRINTABLE_STRING
    } else if core::str::from_utf8(common_name).is_ok() {
        der::UTF8_STRING
    } else {
        return Err("asn1: string not valid UTF-8".into());
    };
    let pair = der::sequence(&[
        &der::element(der::OBJECT_IDENTIFIER, COMMON_NAME),
        &der::element(tag, common_name),
    ]);
    Ok(der::element(der::SEQUENCE, &der::element(der::SET, &pair)))
}

/// An instant: with two digits of the year where they do.
fn time_of(time: &Time) -> Result<Vec<u8>> {
    let civil = time.in_zone(Zone::utc()).civil();
    let rest = format!(
        "{:02}{:02}{:02}{:02}{:02}Z",
        civil.month, civil.day, civil.hour, civil.minute, civil.second
    );
    match civil.year {
        1950..2050 => Ok(der::element(
            der::UTC_TIME,
            format!("{:02}{rest}", civil.year % 100).as_bytes(),
        )),
        0..=9_999 => Ok(der::element(
            der::GENERALIZED_TIME,
            format!("{:04}{rest}", civil.year).as_bytes(),
        )),
        _ => Err("asn1: structure error: cannot represent time as GeneralizedTime".into()),
    }
}

fn extension(last: u8, is_critical: bool, value: &[u8]) -> Vec<u8> {
    let name = der::element(der::OBJECT_IDENTIFIER, &[0x55, 0x1d, last]);
    let critical = if is_critical {
        der::element(der::BOOLEAN, &[0xff])
    } else {
        Vec::new()
    };
    der::sequence(&[&name, &critical, &der::element(der::OCTET_STRING, value)])
}

fn extensions(template: &Template, is_nameless: bool, authority: &[u8], public: &PublicKey) -> Result<Vec<u8>> {
    // Digital signatures and encryption of keys; an authority signs certificates too.
    let usage: [u8; 2] = if template.is_authority { [2, 0xa4] } else { [5, 0xa0] };
    let mut out = extension(KEY_USAGE, true, &der::element(der::BIT_STRING, &usage));
    // Of servers and of clients.
    let purposes = [1, 2].map(|last| {
        der::element(
            der::OBJECT_IDENTIFIER,
            &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, last],
        )
    });
    out.extend(extension(
        EXTENDED_KEY_USAGE,
        false,
        &der::element(der::SEQUENCE, &purposes.concat()),
    ));
    let constraints: &[u8] = if template.is_authority {
        &[der::BOOLEAN, 1, 0xff]
    } else {
        &[]
    };
    out.extend(extension(
        BASIC_CONSTRAINTS,
        true,
        &der::element(der::SEQUENCE, constraints),
    ));
    if template.is_authority {
        let hash = Sha256::digest(&public.bits);
        let id = hash.get(..20).unwrap_or(&[]);
        out.extend(extension(SUBJECT_KEY_ID, false, &der::element(der::OCTET_STRING, id)));
    }
    if !authority.is_empty() {
        let id = der::element(der::primitive_context(0), authority);
        out.extend(extension(AUTHORITY_KEY_ID, false, &der::element(der::SEQUENCE, &id)));
    }
    if !(template.names.is_empty() && template.addresses.is_empty()) {
        let names = alternative_names(template)?;
        out.extend(extension(ALTERNATIVE_NAMES, is_nameless, &names));
    }
    Ok(out)
}

fn alternative_names(template: &Template) -> Result<Vec<u8>> {
    let mut names = Vec::new();
    for name in &template.names {
        if !name.is_ascii() {
            let quoted = convoy_template::go_quote(name);
            return Err(format!("x509: {quoted} cannot be encoded as an IA5String").into());
        }
        names.extend(der::element(der::primitive_context(2), name));
    }
    for address in &template.addresses {
        let content = match address.to_canonical() {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        names.extend(der::element(der::primitive_context(7), &content));
    }
    Ok(der::element(der::SEQUENCE, &names))
}

/// Reads a certificate, with Go's words for what is wrong with it.
pub(super) fn read(text: &[u8]) -> core::result::Result<Issuer, String> {
    let mut outer = Reader::new(text);
    let content = outer.take(der::SEQUENCE).ok_or("x509: malformed certificate")?;
    let is_alone = outer.is_empty();
    let mut fields = Reader::new(content);
    let body = fields.take(der::SEQUENCE).ok_or("x509: malformed tbs certificate")?;
    let mut body = Reader::new(body);
    let version = version(&mut body)?;
    let serial = body.take_integer().ok_or("x509: malformed serial number")?;
    if serial.is_negative {
        return Err("x509: negative serial number".into());
    }
    let inner = body
        .take(der::SEQUENCE)
        .ok_or("x509: malformed signature algorithm identifier")?;
    let outer = fields
        .take(der::SEQUENCE)
        .ok_or("x509: malformed algorithm identifier")?;
    if inner != outer {
        return Err("x509: inner and outer signature algorithm identifiers don't match".into());
    }
    algorithm(inner)?;
    check_name(body.take_whole(der::SEQUENCE).ok_or("x509: malformed issuer")?)?;
    check_validity(body.take(der::SEQUENCE).ok_or("x509: malformed validity")?)?;
    let subject = body.take_whole(der::SEQUENCE).ok_or("x509: malformed issuer")?;
    check_name(subject)?;
    let public = public_key(body.take(der::SEQUENCE).ok_or("x509: malformed spki")?)?;
    let key_id = if version > 1 {
        read_extensions(body, version)?
    } else {
        Vec::new()
    };
    fields.take_bit_string().ok_or("x509: malformed signature")?;
    if !is_alone {
        return Err("x509: trailing data".into());
    }
    Ok(Issuer {
        subject: subject.to_vec(),
        key_id,
        public,
    })
}

/// 1, 2 or 3.
fn version(body: &mut Reader<'_>) -> core::result::Result<u8, &'static str> {
    if !body.next_is(der::context(0)) {
        return Ok(1);
    }
    let content = body.take(der::context(0)).ok_or("x509: malformed version")?;
    let mut content = Reader::new(content);
    let number = content
        .take_integer()
        .filter(|number| !number.is_negative && content.is_empty());
    let number = number.ok_or("x509: malformed version")?;
    match number::to_bytes(&number.magnitude).as_slice() {
        [] => Ok(1),
        [number @ (1 | 2)] => Ok(number + 1),
        _ => Err("x509: invalid version"),
    }
}

/// The name of an algorithm, and its parameters.
fn algorithm(content: &[u8]) -> core::result::Result<(&[u8], &[u8]), &'static str> {
    let mut fields = Reader::new(content);
    let name = fields.take_identifier().ok_or("x509: malformed OID")?;
    if fields.is_empty() {
        return Ok((name, &[]));
    }
    let (_, _, parameters) = fields.any().ok_or("x509: malformed parameters")?;
    Ok((name, parameters))
}

fn check_name(whole: &[u8]) -> core::result::Result<(), &'static str> {
    const INVALID: &str = "x509: invalid RDNSequence";
    let mut sets = Reader::new(Reader::new(whole).take(der::SEQUENCE).ok_or(INVALID)?);
    while !sets.is_empty() {
        let mut set = Reader::new(sets.take(der::SET).ok_or(INVALID)?);
        while !set.is_empty() {
            let pair = set
                .take(der::SEQUENCE)
                .ok_or("x509: invalid RDNSequence: invalid attribute")?;
            let mut pair = Reader::new(pair);
            pair.take_identifier()
                .ok_or("x509: invalid RDNSequence: invalid attribute type")?;
            let (tag, text, _) = pair.any().ok_or("x509: invalid RDNSequence: invalid attribute value")?;
            if tag == der::UTF8_STRING && core::str::from_utf8(text).is_err() {
                return Err("x509: invalid RDNSequence: invalid attribute value: invalid UTF-8 string");
            }
        }
    }
    Ok(())
}

fn check_validity(content: &[u8]) -> core::result::Result<(), &'static str> {
    let mut times = Reader::new(content);
    for _ in 0..2 {
        let (tag, layout, malformed): (u8, &[&[u8]], _) = if times.next_is(der::UTC_TIME) {
            (
                der::UTC_TIME,
                &[b"060102150405Z07:00", b"060102150405Z0700", b"0601021504Z0700"],
                "x509: malformed UTCTime",
            )
        } else if times.next_is(der::GENERALIZED_TIME) {
            (
                der::GENERALIZED_TIME,
                &[b"20060102150405Z0700"],
                "x509: malformed GeneralizedTime",
            )
        } else {
            return Err("x509: unsupported time format");
        };
        let text = times.take(tag).ok_or(malformed)?;
        let text = core::str::from_utf8(text).map_err(|_| malformed)?;
        let is_time = layout
            .iter()
            .filter_map(|layout| core::str::from_utf8(layout).ok())
            .any(|layout| Time::parse(layout, text).is_ok());
        if !is_time {
            return Err(malformed);
        }
    }
    Ok(())
}

/// The public key of a certificate, if its kind is known.
fn public_key(content: &[u8]) -> core::result::Result<Option<PublicKey>, &'static str> {
    let mut fields = Reader::new(content);
    let whole = fields
        .take_whole(der::SEQUENCE)
        .ok_or("x509: malformed public key algorithm identifier")?;
    let inner = Reader::new(whole).take(der::SEQUENCE).unwrap_or(&[]);
    let (name, parameters) = algorithm(inner)?;
    let bits = fields.take_bit_string().ok_or("x509: malformed subjectPublicKey")?;
    match name {
        key::RSA => check_rsa(parameters, bits)?,
        key::EC => {
            let curve = Reader::new(parameters)
                .take_identifier()
                .ok_or("x509: invalid ECDSA parameters")?;
            if !ec::is_point(ec::curve_of(curve)?, bits) {
                return Err("crypto/ecdsa: invalid public key");
            }
        }
        key::ED25519 if !parameters.is_empty() => {
            return Err("x509: Ed25519 key encoded with illegal parameters");
        }
        key::ED25519 if bits.len() != 32 => return Err("x509: wrong Ed25519 public key size"),
        key::ED25519 | key::DSA | key::X25519 => {}
        _ => return Ok(None),
    }
    Ok(Some(PublicKey {
        algorithm: whole.to_vec(),
        bits: bits.to_vec(),
    }))
}

fn check_rsa(parameters: &[u8], bits: &[u8]) -> core::result::Result<(), &'static str> {
    if parameters != [der::NULL, 0] {
        return Err("x509: RSA key missing NULL parameters");
    }
    let content = Reader::new(bits)
        .take(der::SEQUENCE)
        .ok_or("x509: invalid RSA public key")?;
    let mut fields = Reader::new(content);
    let modulus = fields.take_integer().ok_or("x509: invalid RSA modulus")?;
    let exponent = fields.take_integer().ok_or("x509: invalid RSA public exponent")?;
    if modulus.is_negative || number::is_zero(&modulus.magnitude) {
        return Err("x509: RSA modulus is not a positive number");
    }
    if exponent.is_negative || number::is_zero(&exponent.magnitude) {
        return Err("x509: RSA public exponent is not a positive number");
    }
    Ok(())
}

/// The name of the subject's key, if there is one; other extensions are checked in their outline.
fn read_extensions(mut body: Reader<'_>, version: u8) -> core::result::Result<Vec<u8>, String> {
    let mut key_id = Vec::new();
    for number in [1, 2] {
        let _ = body.take(der::primitive_context(number));
    }
    if version != 3 || !body.next_is(der::context(3)) {
        return Ok(key_id);
    }
    let list = body
        .take(der::context(3))
        .and_then(|content| Reader::new(content).take(der::SEQUENCE))
        .ok_or("x509: malformed extensions")?;
    let mut list = Reader::new(list);
    let mut seen: Vec<&[u8]> = Vec::new();
    while !list.is_empty() {
        let fields = list.take(der::SEQUENCE).ok_or("x509: malformed extension")?;
        let mut fields = Reader::new(fields);
        let name = fields.take_identifier().ok_or("x509: malformed extension OID field")?;
        let mut is_critical = false;
        if fields.next_is(der::BOOLEAN) {
            is_critical = match fields.take(der::BOOLEAN) {
                Some([0xff]) => true,
                Some([0]) => false,
                _ => return Err("x509: malformed extension critical field".into()),
            };
        }
        let value = fields
            .take(der::OCTET_STRING)
            .ok_or("x509: malformed extension value field")?;
        if seen.contains(&name) {
            let name = der::dotted(name);
            return Err(format!(
                "x509: certificate contains duplicate extension with OID {name:?}"
            ));
        }
        seen.push(name);
        if let [0x55, 0x1d, last] = name
            && let Some(id) = read_extension(*last, is_critical, value)?
        {
            key_id = id.to_vec();
        }
    }
    Ok(key_id)
}

fn read_extension(last: u8, is_critical: bool, value: &[u8]) -> core::result::Result<Option<&[u8]>, &'static str> {
    let mut value = Reader::new(value);
    match last {
        SUBJECT_KEY_ID if is_critical => Err("x509: subject key identifier incorrectly marked critical"),
        SUBJECT_KEY_ID => {
            let id = value.take(der::OCTET_STRING);
            id.map(Some).ok_or("x509: invalid subject key identifier")
        }
        KEY_USAGE => {
            value.take_bit_string().ok_or("x509: invalid key usage")?;
            Ok(None)
        }
        BASIC_CONSTRAINTS => {
            value.take(der::SEQUENCE).ok_or("x509: invalid basic constraints")?;
            Ok(None)
        }
        ALTERNATIVE_NAMES => {
            value
                .take(der::SEQUENCE)
                .ok_or("x509: invalid subject alternative names")?;
            Ok(None)
        }
        _ => Ok(None),
    }
}
