//! Limits of rate: how many requests and tokens a minute a provider takes from one account, shared by all debates of
//! the process. They are configured, or learnt from what the heads of the provider's answers tell; calls wait for each
//! other instead of being refused.

mod bucket;
mod gate;
mod headers;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use agon_core::Digest;
use reqwest::header::HeaderMap;

use self::gate::RateGate;

pub(super) use self::headers::{RateReport, parse_duration};

pub use self::gate::{count_waiting_calls, share_rates};

/// Most models of an account that are told apart; others share one queue.
const MODELS_MAX: usize = 500;

/// Limits of rate that the user configured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RateLimits {
    /// Requests in any minute.
    pub requests_per_minute: Option<u64>,
    /// Tokens in any minute, read and written.
    pub tokens_per_minute: Option<u64>,
}

/// Who is asked and who pays: what limits of rate are counted by.
type AccountKey = (String, Option<Digest>, RateLimits);

/// The limits of one account at one provider.
#[derive(Debug)]
pub(super) struct AccountRates {
    /// What the user configured holds for all models together.
    configured: Option<RateGate>,
    /// What a provider tells holds for one model.
    models: Mutex<BTreeMap<String, Arc<RateGate>>>,
}

impl AccountRates {
    /// The limits of the account of `key` at `address`, shared by all providers of the process that use it.
    pub fn from_address(address: &str, key: Option<Digest>, limits: RateLimits) -> Arc<Self> {
        static KNOWN: Mutex<BTreeMap<AccountKey, Weak<AccountRates>>> = Mutex::new(BTreeMap::new());
        let account = (address.to_owned(), key, limits);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, rates| rates.strong_count() > 0);
        if let Some(rates) = known.get(&account).and_then(Weak::upgrade) {
            return rates;
        }
        let configured = (limits != RateLimits::default()).then(|| RateGate::with_limits(limits));
        let rates = Arc::new(Self { configured, models: Mutex::default() });
        known.insert(account, Arc::downgrade(&rates));
        rates
    }

    /// Waits until a call of `model` with `tokens` tokens may be made.
    ///
    /// # Errors
    ///
    /// How long the provider wants to be left alone, where nobody waits so long.
    pub async fn admit_call(&self, model: &str, tokens: u64) -> Result<(), Duration> {
        self.model_gate(model).admit_call(tokens).await?;
        match &self.configured {
            Some(gate) => gate.admit_call(tokens).await,
            None => Ok(()),
        }
    }

    /// A call of `model` was refused because there were too many, with `headers` that ask for `pause`.
    pub fn record_refusal(&self, model: &str, headers: &HeaderMap, pause: Option<Duration>) {
        let report = RateReport::from_headers(headers);
        tracing::info!(
            model,
            requests = report.requests.map(|window| window.limit),
            tokens = report.tokens.map(|window| window.limit),
            pause_ms = pause.map(|pause| pause.as_millis() as u64),
            "refused for its rate; all calls of this model wait"
        );
        self.model_gate(model).record_refusal(report, pause);
    }

    /// The head of an answer of `model` came, which tells `report`.
    pub fn record_report(&self, model: &str, report: RateReport) {
        self.model_gate(model).apply_report(report);
    }

    /// A call of `model` was answered; `unspent` of the tokens that it was admitted with were not used. A
    /// provider that `counts_ahead` counts what a call may use, whatever it used then.
    pub fn record_answer(&self, model: &str, unspent: u64, counts_ahead: bool) {
        self.model_gate(model).record_answer(if counts_ahead { 0 } else { unspent });
        self.configured.iter().for_each(|gate| gate.record_answer(unspent));
    }

    fn model_gate(&self, model: &str) -> Arc<RateGate> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let model = if models.len() < MODELS_MAX || models.contains_key(model) { model } else { "" };
        Arc::clone(models.entry(model.to_owned()).or_insert_with(|| Arc::new(RateGate::with_unknown_limits())))
    }
}
