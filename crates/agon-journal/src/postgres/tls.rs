//! Connecting to Postgres, with TLS where the address wants it. Certificates are checked against those that the system
//! trusts, or those of the file that the address names.

use std::{error::Error, io, path::Path, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, RootCertStore,
    crypto::aws_lc_rs::default_provider,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::{Client, Config, NoTls, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How a connection is made.
pub(super) struct Connector {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl Connector {
    /// For `config`, with TLS unless it wants none; `authorities` is a file of certificates that are trusted in place of
    /// those of the system.
    ///
    /// # Errors
    ///
    /// Where there are no certificates to trust, in words.
    pub(super) fn new(config: Config, authorities: Option<&Path>) -> Result<Self, String> {
        if config.get_ssl_mode() == SslMode::Disable {
            return Ok(Self { config, tls: None });
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let trusted = match authorities {
            Some(file) => builder.with_root_certificates(load_root_certificates(file)?),
            None => builder.with_platform_verifier().map_err(|error| error.to_string())?,
        };
        Ok(Self { config, tls: Some(MakeRustlsConnect::new(trusted.with_no_client_auth())) })
    }

    /// Connects, and lets the connection work in the background until its client is dropped.
    pub(super) async fn connect(self) -> Result<Client, tokio_postgres::Error> {
        match self.tls {
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                tokio::spawn(async move { log_connection_end(connection.await) });
                Ok(client)
            }
            Some(tls) => {
                let (client, connection) = self.config.connect(tls).await?;
                tokio::spawn(async move { log_connection_end(connection.await) });
                Ok(client)
            }
        }
    }
}

fn load_root_certificates(file: &Path) -> Result<RootCertStore, String> {
    let fault = |why: &str| format!("sslrootcert: {}: {why}", file.display());
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(file).map_err(|error| fault(&error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| fault(&error.to_string()))?;
        roots.add(certificate).map_err(|error| fault(&error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(fault("it holds no certificate (-----BEGIN CERTIFICATE-----)"));
    }
    Ok(roots)
}

fn log_connection_end(result: Result<(), tokio_postgres::Error>) {
    if let Err(error) = result {
        tracing::debug!(%error, "connection to Postgres ended");
    }
}

/// What is wrong with the server's certificate, and what to do; `None` where the error is another.
pub(super) fn describe_certificate_error(error: &tokio_postgres::Error) -> Option<String> {
    for error in list_causes(error) {
        // An error of IO does not tell the error that it holds as its source.
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let held = held.and_then(|held| held.downcast_ref::<rustls::Error>());
        if let Some(rustls::Error::InvalidCertificate(why)) = held.or_else(|| error.downcast_ref()) {
            return Some(match why {
                CertificateError::UnknownIssuer => {
                    "the server's certificate is not trusted here: name the file of its authority with \
                     ?sslrootcert=FILE, or add the authority to those of the system"
                        .to_owned()
                }
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                    "the server's certificate is not for this host: use a name that it holds in the address".to_owned()
                }
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    "the server's certificate has expired: renew it, or set the clock of this machine".to_owned()
                }
                why => format!("the server's certificate cannot be trusted ({why})"),
            });
        }
    }
    None
}

/// What caused an error, and what caused that.
pub(super) fn list_causes(error: &tokio_postgres::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}
