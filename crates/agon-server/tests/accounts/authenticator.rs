//! A software authenticator: it makes a passkey and signs with it, and lies about what a test names.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex},
};

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub const ORIGIN: &str = "https://agon.example";

pub struct Authenticator {
    pub key: Arc<EcdsaKeyPair>,
    /// The name of the credential.
    pub id: Vec<u8>,
    pub user_handle: Vec<u8>,
    pub origin: String,
    pub rp_id: String,
    pub counter: u32,
    pub verifies: bool,
    pub is_framed: bool,
    /// What is signed in place of the challenge that was sent.
    pub challenge: Option<String>,
}

/// The key of `seed`, the same in this process.
fn key_of(seed: u8) -> Arc<EcdsaKeyPair> {
    static KEYS: LazyLock<Mutex<BTreeMap<u8, Arc<EcdsaKeyPair>>>> = LazyLock::new(Mutex::default);
    let new = || Arc::new(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap());
    Arc::clone(KEYS.lock().unwrap().entry(seed).or_insert_with(new))
}

fn encoded(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

impl Authenticator {
    /// One with the key and the name of `seed`.
    pub fn new(seed: u8) -> Self {
        Self {
            key: key_of(seed),
            id: vec![seed; 16],
            user_handle: Vec::new(),
            origin: ORIGIN.into(),
            rp_id: "agon.example".into(),
            counter: 1,
            verifies: true,
            is_framed: false,
            challenge: None,
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = options["publicKey"]["challenge"].as_str().unwrap();
        let challenge = self.challenge.as_deref().unwrap_or(challenge);
        let data = json!({
            "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": self.is_framed,
        });
        data.to_string().into_bytes()
    }

    /// The part of the authenticator data that both answers have: present, verified or not, and `more` flags.
    fn head(&self, more: u8) -> Vec<u8> {
        let mut data = Sha256::digest(self.rp_id.as_bytes()).to_vec();
        data.push(0x01 | if self.verifies { 0x04 } else { 0 } | more);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The answer of `navigator.credentials.create()`.
    pub fn register(&mut self, options: &Value) -> Value {
        let asked = &options["publicKey"];
        self.user_handle = BASE64.decode(asked["user"]["id"].as_str().unwrap()).unwrap();
        let bytes = self.key.public_key().as_ref();
        // The key as COSE has it: elliptic curve, ES256, P-256, x, y.
        let mut cose = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        cose.extend(&bytes[1..33]);
        cose.extend([0x22, 0x58, 0x20]);
        cose.extend(&bytes[33..65]);
        let mut data = self.head(0x40);
        data.extend([0; 16]);
        data.extend((self.id.len() as u16).to_be_bytes());
        data.extend(&self.id);
        data.extend(cose);
        let mut object = vec![0xa3, 0x63];
        object.extend(b"fmt\x64none\x67attStmt\xa0\x68authData\x59");
        object.extend((data.len() as u16).to_be_bytes());
        object.extend(data);
        json!({
            "id": encoded(&self.id), "rawId": encoded(&self.id), "type": "public-key",
            "response": {
                "clientDataJSON": encoded(&self.client_data("webauthn.create", options)),
                "attestationObject": encoded(&object),
                "transports": ["internal"],
            },
            "clientExtensionResults": {},
        })
    }

    /// The answer of `navigator.credentials.get()`; the counter grows.
    pub fn sign(&mut self, options: &Value) -> Value {
        self.counter += 1;
        let (data, client) = (self.head(0), self.client_data("webauthn.get", options));
        let mut signed = data.clone();
        signed.extend(Sha256::digest(&client));
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "id": encoded(&self.id), "rawId": encoded(&self.id), "type": "public-key",
            "response": {
                "clientDataJSON": encoded(&client),
                "authenticatorData": encoded(&data),
                "signature": encoded(signature.as_ref()),
                "userHandle": encoded(&self.user_handle),
            },
            "clientExtensionResults": {},
        })
    }
}
