//! Passkeys (WebAuthn) for this server: what browsers are asked to sign, and whether they did. The library checks origin,
//! relying party, challenge, presence and verification of the person, signature and counter; here is decided who may
//! ask, and that each challenge is used once.

use agon_journal::accounts::{NewPasskey, Passkey, Principal, PrincipalId};
use passki::{
    AuthenticationCredential, AuthenticationOptions, AuthenticationState, Passki, RegistrationCredential,
    RegistrationOptions, RegistrationState, ResidentKeyRequirement, StoredPasskey, UserVerificationRequirement,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use url::{Host, Url};

use crate::Refusal;

/// This server, as passkeys know it.
pub(crate) struct RelyingParty(Passki);

/// Why a browser's answer proves nothing, in the one form for all reasons; which it was is for the log.
fn passkey_refused(error: impl std::fmt::Display) -> Refusal {
    tracing::warn!(%error, "a passkey was refused");
    let remedy = "try again, or log in another way";
    Refusal::new(403, "passkey_refused", "this passkey proves nothing here", remedy)
}

fn passkey_interrupted() -> Refusal {
    Refusal::new(500, "internal", "the passkey could not be asked for", "try again")
}

/// What a browser is asked, and the state that its answer is compared with.
fn write_challenge(asked: &impl Serialize, state: &impl Serialize) -> Result<(Box<RawValue>, String), Refusal> {
    let asked = serde_json::value::to_raw_value(asked).map_err(|_| passkey_interrupted())?;
    Ok((asked, serde_json::to_string(state).map_err(|_| passkey_interrupted())?))
}

fn parse_browser_answer<T: DeserializeOwned>(answer: &RawValue) -> Result<T, Refusal> {
    serde_json::from_str(answer.get()).map_err(|error| {
        let why = format!("the answer of the browser cannot be read: {error}");
        Refusal::unusable(why, "send what navigator.credentials gives, as JSON")
    })
}

impl RelyingParty {
    /// The relying party at the address by which browsers reach the server; `None` where browsers have no passkeys:
    /// for an address without a name, or without encryption (`localhost` needs none).
    pub fn new(public_url: &str) -> Option<Self> {
        let url = Url::parse(public_url).ok()?;
        let Some(Host::Domain(name)) = url.host() else { return None };
        if url.scheme() != "https" && name != "localhost" {
            return None;
        }
        Some(Self(Passki::new(name, &[url.origin().ascii_serialization()], "agon")))
    }

    /// What the browser of a person is asked to make a passkey with, and the state that its answer is compared with.
    pub fn begin_registration(&self, person: &Principal, held: &[Passkey]) -> Result<(Box<RawValue>, String), Refusal> {
        let held: Vec<StoredPasskey> = held.iter().filter_map(parse_stored_passkey).collect();
        let mut options = RegistrationOptions::default();
        options.resident_key = ResidentKeyRequirement::Required;
        options.user_verification = UserVerificationRequirement::Required;
        options.exclude_credentials = Some(&held);
        let login = person.login.clone().unwrap_or_default();
        // The id of the account stands on records, and tells nothing else about the person.
        let handle = person.id.to_string();
        let (challenge, state) = self
            .0
            .start_passkey_registration(handle.as_bytes(), &login, &person.display, options)
            .map_err(|_| passkey_interrupted())?;
        write_challenge(&challenge, &state)
    }

    /// The passkey that a browser made for a person.
    pub fn finish_registration(
        &self,
        state: &str,
        person: PrincipalId,
        name: String,
        credential: &RawValue,
    ) -> Result<NewPasskey, Refusal> {
        let state: RegistrationState = serde_json::from_str(state).map_err(passkey_refused)?;
        let credential: RegistrationCredential = parse_browser_answer(credential)?;
        let made = self.0.finish_passkey_registration(&credential, &state).map_err(passkey_refused)?;
        let key = serde_json::to_string(&made).map_err(|_| passkey_interrupted())?;
        let known_as = Passki::base64_encode(&made.credential_id);
        Ok(NewPasskey { principal: person, name, credential: known_as, key, counter: made.counter })
    }

    /// What a browser is asked to sign for a login, with whichever passkey of this server it has.
    pub fn begin_login(&self) -> Result<(Box<RawValue>, String), Refusal> {
        let mut options = AuthenticationOptions::default();
        options.user_verification = UserVerificationRequirement::Required;
        let (challenge, state) =
            self.0.start_passkey_authentication(&[], options).map_err(|_| passkey_interrupted())?;
        write_challenge(&challenge, &state)
    }

    /// The name of the credential that a browser signed with.
    pub fn credential_of(credential: &RawValue) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct SignedCredential {
            raw_id: String,
        }
        serde_json::from_str::<SignedCredential>(credential.get()).ok().map(|signed| signed.raw_id)
    }

    /// The new counter of the passkey with which a browser signed.
    pub fn finish_login(&self, state: &str, credential: &RawValue, passkey: &Passkey) -> Result<u32, Refusal> {
        let state: AuthenticationState = serde_json::from_str(state).map_err(passkey_refused)?;
        let credential: AuthenticationCredential = parse_browser_answer(credential)?;
        let known = parse_stored_passkey(passkey).ok_or_else(|| passkey_refused("the stored key cannot be read"))?;
        let signed = self.0.finish_passkey_authentication(&credential, &state, &known).map_err(passkey_refused)?;
        // A passkey that was found by itself says whose it is; the journal must say the same.
        let is_own = signed.user_handle.as_deref() == Some(passkey.principal.to_string().as_bytes());
        let is_same = signed.credential_id == known.credential_id;
        if is_own && is_same { Ok(signed.counter) } else { Err(passkey_refused("it names another person")) }
    }
}

/// A passkey as the library has it, with the counter of the journal.
fn parse_stored_passkey(passkey: &Passkey) -> Option<StoredPasskey> {
    let mut known: StoredPasskey = serde_json::from_str(&passkey.key).ok()?;
    known.counter = passkey.counter;
    Some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_belong_to_a_name_that_browsers_trust() {
        for (address, wanted) in [
            ("https://agon.example", Some("agon.example")),
            ("https://agon.example:8443/", Some("agon.example")),
            ("http://localhost:7878", Some("localhost")),
            ("http://agon.example", None),
            ("https://192.0.2.1", None),
            ("http://127.0.0.1:7878", None),
            ("nonsense", None),
        ] {
            let known = RelyingParty::new(address);
            assert_eq!(known.as_ref().map(|known| known.0.rp_id.as_str()), wanted, "{address}");
        }
        let known = RelyingParty::new("https://Agon.example:8443/").unwrap();
        assert_eq!(known.0.rp_origins, ["https://agon.example:8443"]);
    }
}
