//! A provider of OpenID Connect on loopback: real keys, one fault at a time.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, LazyLock, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::{self, KeySize},
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256},
};
use axum::{
    Form, Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub const CLIENT: &str = "agon";

/// What the provider does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    #[default]
    None,
    Nonce,
    NoNonce,
    Audience,
    OtherAudienceToo,
    Expired,
    Issuer,
    /// Signed with a key that is not published.
    Key,
    /// One claim changed after signing.
    Changed,
    /// "alg": "none".
    Unsigned,
    /// Signed with the client's own secret.
    Symmetric,
    NoIdToken,
    /// The discovery document names another issuer.
    Discovery,
}

/// Which key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
}

static RSA: LazyLock<rsa::KeyPair> = LazyLock::new(|| rsa::KeyPair::generate(KeySize::Rsa2048).unwrap());
static EC: LazyLock<EcdsaKeyPair> = LazyLock::new(new_key);
static OTHER: LazyLock<EcdsaKeyPair> = LazyLock::new(new_key);

fn new_key() -> EcdsaKeyPair {
    EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap()
}

/// A login that waits for its code to be exchanged.
#[derive(Clone)]
struct Waiting {
    challenge: String,
    redirect: String,
    nonce: String,
}

pub struct Provider {
    pub address: SocketAddr,
    pub fault: Mutex<Fault>,
    pub subject: Mutex<String>,
    pub email: Mutex<Value>,
    algorithm: Algorithm,
    codes: Mutex<BTreeMap<String, Waiting>>,
}

pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn signed(key: &EcdsaKeyPair, text: &str) -> Vec<u8> {
    key.sign(&SystemRandom::new(), text.as_bytes()).unwrap().as_ref().to_vec()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl Provider {
    pub async fn start(algorithm: Algorithm) -> Arc<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Arc::new(Self {
            address: listener.local_addr().unwrap(),
            fault: Mutex::default(),
            subject: Mutex::new("subject-1".into()),
            email: Mutex::new(json!({"email": "ada@example.org", "email_verified": true})),
            algorithm,
            codes: Mutex::default(),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/jwks", get(keys))
            .route("/token", post(token))
            .with_state(Arc::clone(&provider));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        provider
    }

    pub fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    fn fault(&self) -> Fault {
        *self.fault.lock().unwrap()
    }

    /// The person agrees at the provider: gives the code that the browser brings back.
    pub fn authorize(&self, query: &BTreeMap<String, String>) -> String {
        assert_eq!((query["client_id"].as_str(), query["response_type"].as_str()), (CLIENT, "code"));
        assert_eq!(query["code_challenge_method"], "S256");
        let mut codes = self.codes.lock().unwrap();
        let code = format!("code-{}-{}", codes.len(), query["nonce"]);
        let of = |name: &str| query[name].clone();
        let waiting = Waiting { challenge: of("code_challenge"), redirect: of("redirect_uri"), nonce: of("nonce") };
        codes.insert(code.clone(), waiting);
        code
    }

    fn id_token(&self, nonce: &str) -> String {
        let fault = self.fault();
        let mut claims = json!({
            "iss": if fault == Fault::Issuer { "http://127.0.0.1:1".into() } else { self.issuer() },
            "sub": *self.subject.lock().unwrap(),
            "aud": match fault {
                Fault::Audience => json!("another client"),
                Fault::OtherAudienceToo => json!([CLIENT, "another client"]),
                _ => json!(CLIENT),
            },
            "iat": now() - 10,
            "exp": if fault == Fault::Expired { now() - 5 } else { now() + 300 },
            "nonce": if fault == Fault::Nonce { "another nonce" } else { nonce },
            "preferred_username": "Ada.L",
            "name": "Ada <i>Lovelace</i>",
        });
        for (name, value) in self.email.lock().unwrap().as_object().unwrap() {
            claims[name] = value.clone();
        }
        if fault == Fault::NoNonce {
            claims.as_object_mut().unwrap().remove("nonce");
        }
        let (algorithm, key) = match (fault, self.algorithm) {
            (Fault::Unsigned, _) => ("none", ""),
            (Fault::Symmetric, _) => ("HS256", ""),
            (_, Algorithm::Rs256) => ("RS256", "rsa"),
            (_, Algorithm::Es256) => ("ES256", "ec"),
        };
        let head = encode(json!({"alg": algorithm, "typ": "JWT", "kid": key}).to_string());
        let text = format!("{head}.{}", encode(claims.to_string()));
        let signature = match (fault, self.algorithm) {
            (Fault::Unsigned, _) => Vec::new(),
            // No correct signature with the secret is needed: the algorithm is refused.
            (Fault::Symmetric, _) => Sha256::digest(format!("client secret{text}")).to_vec(),
            (Fault::Key, Algorithm::Es256) => signed(&OTHER, &text),
            (_, Algorithm::Es256) => signed(&EC, &text),
            (_, Algorithm::Rs256) => {
                let mut signature = vec![0; RSA.public_modulus_len()];
                RSA.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
                signature
            }
        };
        let text = match fault {
            Fault::Changed => {
                claims["sub"] = json!("administrator");
                format!("{head}.{}", encode(claims.to_string()))
            }
            _ => text,
        };
        format!("{text}.{}", encode(signature))
    }
}

async fn discovery(State(provider): State<Arc<Provider>>) -> Json<Value> {
    let issuer = provider.issuer();
    let named = if provider.fault() == Fault::Discovery { "http://127.0.0.1:1".into() } else { issuer.clone() };
    Json(json!({
        "issuer": named, "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/jwks"),
        "response_types_supported": ["code"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
    }))
}

async fn keys(State(provider): State<Arc<Provider>>) -> Json<Value> {
    let key = match provider.algorithm {
        Algorithm::Rs256 => json!({
            "kty": "RSA", "kid": "rsa", "use": "sig", "alg": "RS256",
            "n": encode(RSA.public_key().modulus().big_endian_without_leading_zero()),
            "e": encode(RSA.public_key().exponent().big_endian_without_leading_zero()),
        }),
        Algorithm::Es256 => {
            // As SEC 1 has it: 4, x, y.
            let point = EC.public_key().as_ref();
            json!({
                "kty": "EC", "kid": "ec", "use": "sig", "alg": "ES256", "crv": "P-256",
                "x": encode(&point[1..33]), "y": encode(&point[33..65]),
            })
        }
    };
    Json(json!({"keys": [key]}))
}

async fn token(
    State(provider): State<Arc<Provider>>,
    headers: HeaderMap,
    Form(fields): Form<BTreeMap<String, String>>,
) -> Response {
    let refused = || (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response();
    // A code is exchanged once.
    let Some(waiting) = provider.codes.lock().unwrap().remove(&fields["code"]) else { return refused() };
    let challenge = encode(Sha256::digest(&fields["code_verifier"]));
    if challenge != waiting.challenge || fields["redirect_uri"] != waiting.redirect {
        return refused();
    }
    assert!(headers["authorization"].to_str().unwrap().starts_with("Basic "));
    let mut answer = json!({"access_token": "a", "token_type": "Bearer", "expires_in": 60});
    if provider.fault() != Fault::NoIdToken {
        answer["id_token"] = provider.id_token(&waiting.nonce).into();
    }
    Json(answer).into_response()
}
