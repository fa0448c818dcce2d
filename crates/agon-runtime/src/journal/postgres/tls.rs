//! Connecting to Postgres, with TLS where the address wants it. Certificates are checked against those that the system
//! trusts.

use std::sync::Arc;

use rustls::{ClientConfig, crypto::aws_lc_rs::default_provider};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::{Client, Config, NoTls, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How a connection is made.
pub(super) struct Connector {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl Connector {
    /// For `config`, with TLS unless it wants none.
    ///
    /// # Errors
    ///
    /// Where this system has no certificates to trust.
    pub(super) fn new(config: Config) -> Result<Self, rustls::Error> {
        if config.get_ssl_mode() == SslMode::Disable {
            return Ok(Self { config, tls: None });
        }
        let trusted = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)?;
        Ok(Self { config, tls: Some(MakeRustlsConnect::new(trusted.with_no_client_auth())) })
    }

    /// Connects, and lets the connection work in the background until its client is dropped.
    pub(super) async fn connect(self) -> Result<Client, tokio_postgres::Error> {
        match self.tls {
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                tokio::spawn(async move { ended(connection.await) });
                Ok(client)
            }
            Some(tls) => {
                let (client, connection) = self.config.connect(tls).await?;
                tokio::spawn(async move { ended(connection.await) });
                Ok(client)
            }
        }
    }
}

fn ended(result: Result<(), tokio_postgres::Error>) {
    if let Err(error) = result {
        tracing::debug!(%error, "connection to Postgres ended");
    }
}
