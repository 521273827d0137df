//! The functions that make keys and certificates.
//!
//! A key comes from its draw alone. The serial number of a certificate comes from the draw and the clock, because a
//! certificate that is made again later is another one, with the same key. Of a certificate that signs, a draw sees
//! the key and not the rest, so that what it signs keeps its key too.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::net::IpAddr;
use core::slice::IterMut;

use convoy_template::value::{ListRef, Object, ObjectKind, Time, Type};
use convoy_template::{CallError, Context, Functions, Parameter, Str, Value};
use sha2::{Digest as _, Sha256};

use super::certificate::{self, Issuer, Template};
use super::key::{PrivateKey, within};
use super::pem;
use crate::encoding::decode64;
use crate::random::{Stream, draw, now};

type Result<T> = core::result::Result<T, CallError>;

/// Bits of the keys that certificates are made with.
const BITS: usize = 2_048;

/// Sprig's `certificate`: two texts in PEM.
pub(super) struct Certificate {
    cert: Str,
    key: Str,
}

impl core::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Certificate")
            .field("cert", &self.cert)
            .finish_non_exhaustive()
    }
}

impl Object for Certificate {
    fn go_type(&self) -> &'static str {
        TYPE
    }

    fn kind(&self) -> ObjectKind {
        ObjectKind::Struct
    }

    fn entries(&self) -> Vec<(Str, Value)> {
        alloc::vec![
            ("Cert".into(), self.cert.clone().into()),
            ("Key".into(), self.key.clone().into()),
        ]
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

const TYPE: &str = "sprig.certificate";

/// A certificate as an operand.
struct Signer(Value);

impl Parameter for Signer {
    fn go_type() -> Type {
        Type::Host(TYPE, false)
    }

    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        operands.next().map(|value| Self(core::mem::take(value)))
    }
}

impl Signer {
    fn get(&self) -> Result<&Certificate> {
        self.0.downcast().ok_or_else(|| "no certificate".into())
    }
}

pub(super) fn register(functions: &mut Functions) {
    functions
        .add("genPrivateKey", private_key)
        .add("buildCustomCert", custom)
        .add("genCA", |context: &mut Context, name: Str, days: isize| {
            let mut stream = draw(context, "genCA", &[name.clone(), shown(days)])?;
            let key = PrivateKey::rsa(context, &mut stream, BITS)?;
            authority(context, &mut stream, &name, days, &key)
        })
        .add(
            "genCAWithKey",
            |context: &mut Context, name: Str, days: isize, key: Str| {
                let mut stream = draw(context, "genCAWithKey", &[name.clone(), shown(days), key.clone()])?;
                let key = given_key(context, &key)?;
                authority(context, &mut stream, &name, days, &key)
            },
        )
        .add(
            "genSelfSignedCert",
            |context: &mut Context, name: Str, ips: ListRef, names: ListRef, days: isize| {
                let asked = Asked { name, ips, names, days };
                let mut stream = asked.draw(context, "genSelfSignedCert", &[])?;
                let key = PrivateKey::rsa(context, &mut stream, BITS)?;
                let template = asked.template(context, &mut stream)?;
                finish(context, &template, None, &key, &key)
            },
        )
        .add(
            "genSelfSignedCertWithKey",
            |context: &mut Context, name: Str, ips: ListRef, names: ListRef, days: isize, key: Str| {
                let asked = Asked { name, ips, names, days };
                let mut stream = asked.draw(context, "genSelfSignedCertWithKey", core::slice::from_ref(&key))?;
                let key = given_key(context, &key)?;
                let template = asked.template(context, &mut stream)?;
                finish(context, &template, None, &key, &key)
            },
        )
        .add(
            "genSignedCert",
            |context: &mut Context, name: Str, ips: ListRef, names: ListRef, days: isize, ca: Signer| {
                let asked = Asked { name, ips, names, days };
                let ca = ca.get()?;
                let mut stream = asked.draw(context, "genSignedCert", core::slice::from_ref(&ca.key))?;
                let key = PrivateKey::rsa(context, &mut stream, BITS)?;
                signed(context, &mut stream, &asked, ca, &key)
            },
        )
        .add(
            "genSignedCertWithKey",
            |context: &mut Context, name: Str, ips: ListRef, names: ListRef, days: isize, ca: Signer, key: Str| {
                let asked = Asked { name, ips, names, days };
                let ca = ca.get()?;
                let operands = [ca.key.clone(), key.clone()];
                let mut stream = asked.draw(context, "genSignedCertWithKey", &operands)?;
                let key = given_key(context, &key)?;
                signed(context, &mut stream, &asked, ca, &key)
            },
        );
}

fn shown(number: isize) -> Str {
    format!("{number}").into()
}

fn private_key(context: &mut Context, kind: Str) -> Result<Str> {
    let mut stream = draw(context, "genPrivateKey", core::slice::from_ref(&kind))?;
    let key = PrivateKey::generate(context, &mut stream, &kind)?;
    Ok(match key {
        Some(key) => key.write().into(),
        None => [b"Unknown type ", &kind[..]].concat().into(),
    })
}

/// A key that the template gives as PEM.
fn given_key(context: &mut Context, text: &Str) -> Result<PrivateKey> {
    context.spend(text.len() as u64 / 16)?;
    PrivateKey::read(text).map_err(|error| within(&error, "parsing private key"))
}

/// Certificate and key in PEM in base64, checked and unpacked.
fn custom(context: &mut Context, cert: Str, key: Str) -> Result<Value> {
    context.spend((cert.len() + key.len()) as u64 / 16)?;
    let cert = decode64(&cert).map_err(|_| "unable to decode base64 certificate")?;
    let key = decode64(&key).map_err(|_| "unable to decode base64 private key")?;
    issuer(&cert)?;
    PrivateKey::read(&key).map_err(|error| within(&error, "error parsing private key"))?;
    into_value(context, cert.into(), key.into())
}

fn issuer(text: &[u8]) -> Result<Issuer> {
    let block = pem::decode(text).ok_or("unable to decode certificate")?;
    certificate::read(&block.bytes)
        .map_err(|error| format!("error parsing certificate: decodedCert.Bytes: {error}").into())
}

fn into_value(context: &mut Context, cert: Str, key: Str) -> Result<Value> {
    context.heap_mut().charge(cert.len() + key.len())?;
    Ok(Value::Object(Arc::new(Certificate { cert, key })))
}

fn authority(context: &mut Context, stream: &mut Stream, name: &Str, days: isize, key: &PrivateKey) -> Result<Value> {
    let mut template = base(context, stream, name, days)?;
    template.is_authority = true;
    finish(context, &template, None, key, key)
}

fn signed(
    context: &mut Context,
    stream: &mut Stream,
    asked: &Asked,
    ca: &Certificate,
    key: &PrivateKey,
) -> Result<Value> {
    context.spend((ca.cert.len() + ca.key.len()) as u64 / 16)?;
    let block = pem::decode(&ca.cert).ok_or("unable to decode certificate")?;
    let issuer = certificate::read(&block.bytes)
        .map_err(|error| format!("error parsing certificate: decodedSignerCert.Bytes: {error}"))?;
    let signer = PrivateKey::read(&ca.key).map_err(|error| within(&error, "error parsing private key"))?;
    let template = asked.template(context, stream)?;
    finish(context, &template, Some(&issuer), key, &signer)
}

fn finish(
    context: &mut Context,
    template: &Template,
    issuer: Option<&Issuer>,
    own: &PrivateKey,
    signer: &PrivateKey,
) -> Result<Value> {
    let bytes = certificate::create(context, template, issuer, own, signer)
        .map_err(|error| within(&error, "error creating certificate"))?;
    into_value(context, pem::encode("CERTIFICATE", &bytes).into(), own.write().into())
}

/// What a certificate is asked for.
struct Asked {
    name: Str,
    ips: ListRef,
    names: ListRef,
    days: isize,
}

impl Asked {
    /// Begins the draw; `more` are operands that follow.
    fn draw(&self, context: &mut Context, function: &'static str, more: &[Str]) -> Result<Stream> {
        let mut operands = alloc::vec![self.name.clone()];
        for list in [self.ips, self.names] {
            operands.push(context.to_text(&Value::List(list))?.into());
        }
        operands.push(shown(self.days));
        operands.extend_from_slice(more);
        draw(context, function, &operands)
    }

    fn template(&self, context: &mut Context, stream: &mut Stream) -> Result<Template> {
        let mut template = base(context, stream, &self.name, self.days)?;
        for item in context.heap().items(self.ips).to_vec() {
            let Value::String(text) = &item else {
                return Err(not_a_string(context, "error parsing ip", &item));
            };
            let address: Option<IpAddr> = text.as_str().and_then(|text| text.parse().ok());
            let Some(address) = address else {
                return Err(format!("error parsing ip: {text}").into());
            };
            template.addresses.push(address);
        }
        for item in context.heap().items(self.names).to_vec() {
            let Value::String(text) = &item else {
                return Err(not_a_string(context, "error processing alternate dns name", &item));
            };
            template.names.push(text.to_vec());
        }
        context.spend((template.addresses.len() + template.names.len()) as u64)?;
        Ok(template)
    }
}

fn not_a_string(context: &Context, doing: &str, item: &Value) -> CallError {
    match context.to_text(item) {
        Ok(text) => format!("{doing}: {} is not a string", Str::from(text)).into(),
        Err(limit) => limit.into(),
    }
}

const NANOS_A_DAY: i64 = 86_400 * 1_000_000_000;

fn base(context: &mut Context, stream: &mut Stream, name: &Str, days: isize) -> Result<Template> {
    let from = now(context)?;
    // A product that does not fit wraps, as in Go.
    let until = from.add(NANOS_A_DAY.wrapping_mul(days as i64));
    Ok(Template {
        common_name: name.to_vec(),
        addresses: Vec::new(),
        names: Vec::new(),
        serial: serial(stream, &from),
        not_before: from,
        not_after: until,
        is_authority: false,
    })
}

fn serial(stream: &mut Stream, now: &Time) -> [u8; 16] {
    let hash = Sha256::new()
        .chain_update(stream.bytes(32))
        .chain_update(now.seconds.to_be_bytes())
        .chain_update(now.nanos.to_be_bytes())
        .finalize();
    core::array::from_fn(|place| hash.get(place).copied().unwrap_or(0))
}
