//! A model file that is loaded.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::ptr::NonNull;

use super::{
    bindings::llama_model,
    library::{self, Library},
    vocabulary::Vocabulary,
};

/// A model. Its weights are mapped from the file.
pub struct LlamaModel {
    pub(super) library: &'static Library,
    pub(super) raw: NonNull<llama_model>,
}

// SAFETY: a model is not changed after it was loaded, and llama.cpp lets any thread use it.
unsafe impl Send for LlamaModel {}

impl LlamaModel {
    /// Loads the GGUF file at `path`.
    ///
    /// # Errors
    /// What llama.cpp says of the file.
    pub fn load(library: &'static Library, path: &Path) -> Result<Self, String> {
        let file = CString::new(path.to_string_lossy().as_bytes()).map_err(|error| error.to_string())?;
        // What it complained of so far does not count.
        library::take_complaint();
        // SAFETY: the defaults are llama.cpp's own, and the path ends with a zero byte.
        let raw = unsafe {
            let parameters = library.llama.llama_model_default_params();
            library.llama.llama_model_load_from_file(file.as_ptr(), parameters)
        };
        let refused = || {
            let reason = library::take_complaint();
            let reason = reason.unwrap_or_else(|| "damaged, or too large for the memory".into());
            format!("llama.cpp refused it: {reason}")
        };
        Ok(Self { library, raw: NonNull::new(raw).ok_or_else(refused)? })
    }

    /// Its tokens.
    pub fn vocabulary(&self) -> Vocabulary<'_> {
        // SAFETY: every model has a vocabulary, which lives as long as it does.
        let raw = unsafe { &*self.library.llama.llama_model_get_vocab(self.raw.as_ptr()) };
        Vocabulary::new(self.library, raw)
    }

    /// Tokens of the longest text that it was trained on.
    pub fn trained_tokens(&self) -> u32 {
        // SAFETY: the model is there until it is dropped; so below.
        unsafe { self.library.llama.llama_model_n_ctx_train(self.raw.as_ptr()) }.max(1).cast_unsigned()
    }

    /// Whether what was evaluated can be cut back to an earlier token. Recurrent models keep a state for the last one alone.
    pub fn can_return(&self) -> bool {
        // SAFETY: see `trained_tokens`.
        unsafe {
            !self.library.llama.llama_model_is_recurrent(self.raw.as_ptr())
                && !self.library.llama.llama_model_is_hybrid(self.raw.as_ptr())
        }
    }

    /// What the file says under `key`; `None` if nothing.
    pub fn read_metadata(&self, key: &CStr) -> Option<String> {
        let mut text = vec![0_u8; 256];
        loop {
            let buffer = text.as_mut_ptr().cast::<c_char>();
            let (model, key) = (self.raw.as_ptr(), key.as_ptr());
            // SAFETY: see `trained_tokens`; the buffer has as much room as is said.
            let size = unsafe { self.library.llama.llama_model_meta_val_str(model, key, buffer, text.len()) };
            let size = usize::try_from(size).ok()?;
            // Cut to the room, with a zero byte at the end.
            if size < text.len() {
                text.truncate(size);
                return Some(String::from_utf8_lossy(&text).into_owned());
            }
            text.resize(size + 1, 0);
        }
    }

    /// Its chat template; `None` if it has none.
    pub fn chat_template(&self) -> Option<String> {
        // SAFETY: see `trained_tokens`; without a name it is the default one, and belongs to the model.
        let text = unsafe { self.library.llama.llama_model_chat_template(self.raw.as_ptr(), std::ptr::null()) };
        // SAFETY: if it is not null, it ends with a zero byte.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

impl Drop for LlamaModel {
    fn drop(&mut self) {
        // SAFETY: contexts and vocabularies borrow the model, so none is left.
        unsafe { self.library.llama.llama_model_free(self.raw.as_ptr()) }
    }
}
