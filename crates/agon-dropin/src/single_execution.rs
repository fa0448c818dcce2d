//! The request of a verb that works on the journal: killed after it was carried out and before it was
//! answered, it is not carried out again when it comes again.

use std::cell::OnceCell;

use crate::store::receipts::RequestReceipt;
use serde_json::json;

use super::journal_home;

/// One call of a verb, identified by its arguments, so that repeating it has no second effect.
pub struct Once {
    request: String,
    /// Nothing is locked before something is to be changed.
    receipt: OnceCell<RequestReceipt>,
}

impl Once {
    /// The call `words`.
    pub fn new(words: &[String]) -> Self {
        Self { request: json!(words).to_string(), receipt: OnceCell::new() }
    }

    /// Waits until no other call changes anything.
    pub fn acquire_receipt(&self) -> Result<&RequestReceipt, String> {
        if let Some(receipt) = self.receipt.get() {
            return Ok(receipt);
        }
        let receipt = RequestReceipt::acquire(&journal_home()?, &self.request).map_err(|error| error.to_string())?;
        Ok(self.receipt.get_or_init(|| receipt))
    }

    /// To be called when the answer has been given. What cannot be taken back now grows old.
    pub fn mark_answered(self) {
        let _ = self.receipt.into_inner().map(RequestReceipt::mark_answered);
    }
}
