//! Logins by OpenID Connect, in a build without the feature `oidc`: there is no provider, and a server whose configuration
//! names one does not start.

use agon_journal::accounts::LoginFlow;
use agon_runtime::config::OidcConfig;

use super::ProvedPerson;
use crate::Refusal;

/// No provider.
pub(crate) enum NoProvider {}

pub(crate) fn build_login_provider(_: OidcConfig, _: &str, _: Option<String>) -> Option<NoProvider> {
    None
}

impl NoProvider {
    pub fn name(&self) -> &str {
        match *self {}
    }

    pub async fn begin_login(&self, _: String) -> Result<(String, LoginFlow), Refusal> {
        match *self {}
    }

    pub async fn finish_login(&self, _: LoginFlow, _: String) -> Result<ProvedPerson, Refusal> {
        match *self {}
    }

    pub fn can_create_account(&self, _: &ProvedPerson) -> bool {
        match *self {}
    }
}
