//! Tokens that are evaluated together.

use super::{bindings::llama_batch, library::Library, vocabulary::Token};

/// Tokens that are evaluated together, each at a position of a sequence.
pub struct Batch {
    library: &'static Library,
    pub(super) raw: llama_batch,
    room: usize,
}

impl Batch {
    /// An empty batch for at most `room` tokens.
    pub fn new(library: &'static Library, room: usize) -> Self {
        // SAFETY: it allocates arrays for so many tokens, each of one sequence.
        let raw = unsafe { library.llama.llama_batch_init(room as i32, 0, 1) };
        Self { library, raw, room }
    }

    /// Number of tokens in it.
    pub fn len(&self) -> usize {
        self.raw.n_tokens as usize
    }

    /// Removes all tokens.
    pub fn clear(&mut self) {
        self.raw.n_tokens = 0;
    }

    /// Adds a token of `sequence`; `wants_logits` if one will be chosen after it. `false` if the batch is full.
    pub fn add(&mut self, token: Token, position: usize, sequence: usize, wants_logits: bool) -> bool {
        let at = self.len();
        if at == self.room {
            return false;
        }
        // SAFETY: each array has `room` elements, and `at` is below that.
        unsafe {
            *self.raw.token.add(at) = token.0;
            *self.raw.pos.add(at) = position as i32;
            *self.raw.n_seq_id.add(at) = 1;
            **self.raw.seq_id.add(at) = sequence as i32;
            *self.raw.logits.add(at) = i8::from(wants_logits);
        }
        self.raw.n_tokens += 1;
        true
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: it was allocated by `llama_batch_init`, and nothing else keeps it.
        unsafe { self.library.llama.llama_batch_free(self.raw) }
    }
}
