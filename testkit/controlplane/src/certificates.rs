//! The certificates of one control plane: an authority, the server's certificate, and the key of its tokens.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

/// PEM texts; the keys are PKCS#8.
#[derive(Debug)]
pub(crate) struct Certificates {
    pub(crate) authority: String,
    pub(crate) server: String,
    pub(crate) server_key: String,
    /// Signs service account tokens.
    pub(crate) token_key: String,
    /// Verifies them.
    pub(crate) token_public_key: String,
}

impl Certificates {
    /// Generates all of them for `localhost` and `127.0.0.1`.
    ///
    /// The server's certificate has an issuer of its own, because rustls refuses a certificate that is both a server's
    /// and an authority's.
    pub(crate) fn generate() -> Result<Self, rcgen::Error> {
        let authority_key = KeyPair::generate()?;
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        authority
            .distinguished_name
            .push(DnType::CommonName, "convoy test authority");
        let authority_pem = authority.self_signed(&authority_key)?.pem();
        let issuer = Issuer::new(authority, authority_key);

        let server_key = KeyPair::generate()?;
        let mut server = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()])?;
        server.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        server.use_authority_key_identifier_extension = true;
        let server_pem = server.signed_by(&server_key, &issuer)?.pem();

        let token_key = KeyPair::generate()?;
        Ok(Self {
            authority: authority_pem,
            server: server_pem,
            server_key: server_key.serialize_pem(),
            token_key: token_key.serialize_pem(),
            token_public_key: token_key.public_key_pem(),
        })
    }
}
