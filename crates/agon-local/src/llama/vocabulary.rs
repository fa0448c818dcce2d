//! The tokens of a model.

use std::ffi::{CStr, c_char};

use super::{bindings::llama_vocab, library::Library};

/// A token, by its place in the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token(pub i32);

impl Token {
    /// Its place, as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The vocabulary of a model that is loaded.
#[derive(Clone, Copy)]
pub struct Vocabulary<'model> {
    library: &'static Library,
    pub(super) raw: &'model llama_vocab,
}

impl<'model> Vocabulary<'model> {
    pub(super) fn new(library: &'static Library, raw: &'model llama_vocab) -> Self {
        Self { library, raw }
    }

    /// The libraries that hold it.
    pub fn library(&self) -> &'static Library {
        self.library
    }

    /// Number of tokens.
    pub fn len(&self) -> i32 {
        // SAFETY: the vocabulary lives as long as its model; so in all functions below.
        unsafe { self.library.llama.llama_vocab_n_tokens(self.raw) }
    }

    /// All tokens, in their order.
    pub fn tokens(&self) -> impl Iterator<Item = Token> + use<> {
        (0..self.len()).map(Token)
    }

    /// The token that begins a text; `None` if there is none.
    pub fn bos_token(&self) -> Option<Token> {
        // SAFETY: see `len`.
        token_from_id(unsafe { self.library.llama.llama_vocab_bos(self.raw) })
    }

    /// The token that ends a text; `None` if there is none.
    pub fn eos_token(&self) -> Option<Token> {
        // SAFETY: see `len`.
        token_from_id(unsafe { self.library.llama.llama_vocab_eos(self.raw) })
    }

    /// The token that ends a turn; `None` if there is none.
    pub fn end_of_turn(&self) -> Option<Token> {
        // SAFETY: see `len`.
        token_from_id(unsafe { self.library.llama.llama_vocab_eot(self.raw) })
    }

    /// Whether a prompt has to begin with [`Vocabulary::bos_token`].
    pub fn begins_with_bos(&self) -> bool {
        // SAFETY: see `len`.
        unsafe { self.library.llama.llama_vocab_get_add_bos(self.raw) }
    }

    /// Whether `token` ends an answer.
    pub fn is_end(&self, token: Token) -> bool {
        // SAFETY: see `len`; llama.cpp checks the token.
        unsafe { self.library.llama.llama_vocab_is_eog(self.raw, token.0) }
    }

    /// Whether `token` marks who speaks, or the like.
    pub fn is_control(&self, token: Token) -> bool {
        // SAFETY: see `is_end`.
        unsafe { self.library.llama.llama_vocab_is_control(self.raw, token.0) }
    }

    /// What the model file calls `token`.
    pub fn token_name(&self, token: Token) -> String {
        // SAFETY: see `is_end`; the text belongs to the vocabulary.
        let text = unsafe { self.library.llama.llama_vocab_get_text(self.raw, token.0) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: it is not null, and ends with a zero byte.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// The bytes that `token` stands for; those of a control token only if `special`.
    pub fn token_bytes(&self, token: Token, special: bool) -> Vec<u8> {
        let mut bytes = vec![0_u8; 32];
        loop {
            let (room, buffer) = (bytes.len() as i32, bytes.as_mut_ptr().cast::<c_char>());
            // SAFETY: see `is_end`; the buffer has as much room as is said.
            let size = unsafe { self.library.llama.llama_token_to_piece(self.raw, token.0, buffer, room, 0, special) };
            // A negative size is what it would need.
            if size >= 0 {
                bytes.truncate(size as usize);
                return bytes;
            }
            bytes.resize(size.unsigned_abs() as usize, 0);
        }
    }

    /// Adds the tokens of `text` to `tokens`; `special`: names of control tokens become those tokens.
    pub fn tokenize(&self, text: &str, special: bool, tokens: &mut Vec<Token>) {
        // A token stands for at least one byte, but for the blank that some vocabularies put first.
        let mut found = vec![0_i32; text.len() + 8];
        loop {
            let (room, size) = (found.len() as i32, text.len() as i32);
            let (start, buffer) = (text.as_ptr().cast::<c_char>(), found.as_mut_ptr());
            // SAFETY: see `len`; text and buffer are as long as is said.
            let count =
                unsafe { self.library.llama.llama_tokenize(self.raw, start, size, buffer, room, false, special) };
            if count >= 0 {
                tokens.extend(found[..count as usize].iter().copied().map(Token));
                return;
            }
            found.resize(count.unsigned_abs() as usize, 0);
        }
    }
}

/// llama.cpp says −1 for a token that a vocabulary does not have.
fn token_from_id(id: i32) -> Option<Token> {
    (id >= 0).then_some(Token(id))
}
