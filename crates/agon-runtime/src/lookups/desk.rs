//! The lookups of one answer: made within their limits, and kept for the record.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use agon_core::{Digest, Lookup, LookupReach, LookupRequest, Seat};
use agon_material::lookup::LookupAnswer;

use super::LookupTool;
use crate::prompts::escape_text;

/// Lookups of one answer. Calls that nobody can read count, too.
pub const LOOKUPS_MAX: usize = 8;
/// Bytes of what one lookup shows.
const RESULT_BYTES_MAX: usize = 8 * 1024;
/// Bytes of what all lookups of one answer show.
const ANSWER_BYTES_MAX: usize = 48 * 1024;
/// Fewest bytes that say something.
const RESULT_BYTES_MIN: usize = 500;

/// What is shown where the limits are reached.
const ENOUGH: &str = "Nothing more can be looked up for this answer. Give it now, with what you have.";

/// Where something is looked up: the pinned material of one debate, and pages where they are allowed.
#[async_trait::async_trait]
pub trait LookupSource: Send + Sync {
    /// The tools that work in this debate.
    fn tools(&self) -> &[LookupTool];

    /// Those of them that a seat of this reach is offered.
    fn list_tools_within(&self, reach: LookupReach) -> Vec<LookupTool> {
        self.tools().iter().copied().filter(|tool| tool.reach() <= reach).collect()
    }

    /// What `seat` finds, in about `bytes_max` bytes.
    async fn look_up(&self, seat: &Seat, asked: &LookupRequest, bytes_max: usize) -> LookupAnswer;
}

/// A lookup that was made, with what it gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeLookup {
    /// As the record has it.
    pub lookup: Lookup,
    /// What the seat was shown.
    pub text: String,
}

/// The lookups of one answer of one seat.
pub struct LookupDesk {
    source: Arc<dyn LookupSource>,
    seat: Seat,
    tools: Vec<LookupTool>,
    count: AtomicUsize,
    /// Bytes that earlier lookups of the same answer showed, which are not among these.
    earlier_bytes: usize,
    made: Mutex<Vec<MadeLookup>>,
    is_closed: AtomicBool,
}

impl fmt::Debug for LookupDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LookupDesk").field("seat", &self.seat).field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl LookupDesk {
    /// For an answer of `seat`, which is offered `tools`.
    pub fn new(source: Arc<dyn LookupSource>, seat: Seat, tools: Vec<LookupTool>) -> Self {
        let (count, made, is_closed) = (AtomicUsize::default(), Mutex::default(), AtomicBool::new(false));
        Self { source, seat, tools, count, earlier_bytes: 0, made, is_closed }
    }

    /// The same, where as much was looked up before, of so many bytes.
    pub fn with_earlier(self, lookups: &[Lookup]) -> Self {
        let bytes = lookups.iter().map(|lookup| lookup.bytes as usize).sum();
        Self { count: lookups.len().into(), earlier_bytes: bytes, ..self }
    }

    /// The tools that the seat is offered.
    pub fn tools(&self) -> &[LookupTool] {
        &self.tools
    }

    /// Whether nothing more can be looked up for this answer.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
            || self.count.load(Ordering::Relaxed) >= LOOKUPS_MAX
            || self.bytes_left() < RESULT_BYTES_MIN
    }

    /// Lets nothing more be looked up.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Forgets what was looked up: the answer begins again.
    pub fn clear(&self) {
        self.lock_made().clear();
        self.count.store(0, Ordering::Relaxed);
    }

    /// What was looked up so far.
    pub fn list_made(&self) -> Vec<MadeLookup> {
        self.lock_made().clone()
    }

    /// Looks up what the tool `name` is asked for with `arguments`, as the participant wrote them. Gives what it is shown:
    /// the result, or why there is none.
    pub async fn look_up(&self, name: &str, arguments: &str) -> String {
        match LookupTool::parse_request(name, arguments) {
            Ok(asked) => self.look_up_request(asked).await,
            Err(_) if self.is_closed() => ENOUGH.into(),
            Err(why) => {
                self.count.fetch_add(1, Ordering::Relaxed);
                why
            }
        }
    }

    /// The same for what was asked for.
    pub async fn look_up_request(&self, asked: LookupRequest) -> String {
        if self.is_closed() {
            return ENOUGH.into();
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        if !self.tools.iter().any(|tool| tool.name() == asked.tool()) {
            return format!("The tool {} is not offered in this debate.", asked.tool());
        }
        let bytes_max = RESULT_BYTES_MAX.min(self.bytes_left());
        let answer = self.source.look_up(&self.seat, &asked, bytes_max).await;
        let (found, failed) = match &answer {
            LookupAnswer::Found(text) => (text, false),
            LookupAnswer::Nothing(why) => (why, true),
        };
        let cut = &found[..found.floor_char_boundary(bytes_max)];
        let more = if cut.len() < found.len() { "\n(cut here)" } else { "" };
        let text = format!("<material>\n{}{more}\n</material>", escape_text(cut).trim_end());
        let lookup = Lookup { asked, result: Digest::from_content(&text), bytes: text.len() as u64, failed };
        self.lock_made().push(MadeLookup { lookup, text: text.clone() });
        text
    }

    fn bytes_left(&self) -> usize {
        let shown: usize = self.lock_made().iter().map(|made| made.text.len()).sum();
        ANSWER_BYTES_MAX.saturating_sub(self.earlier_bytes + shown)
    }

    fn lock_made(&self) -> std::sync::MutexGuard<'_, Vec<MadeLookup>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds a text of a certain length, whatever is asked for.
    struct Library(usize);

    #[async_trait::async_trait]
    impl LookupSource for Library {
        fn tools(&self) -> &[LookupTool] {
            &[LookupTool::Search, LookupTool::Read]
        }

        async fn look_up(&self, _: &Seat, asked: &LookupRequest, _: usize) -> LookupAnswer {
            match asked {
                LookupRequest::Read { .. } => LookupAnswer::Nothing("The material has no such file.".into()),
                _ => LookupAnswer::Found("é".repeat(self.0 / 2)),
            }
        }
    }

    fn desk(bytes: usize) -> LookupDesk {
        LookupDesk::new(
            Arc::new(Library(bytes)),
            Seat::new("critic").unwrap(),
            vec![LookupTool::Search, LookupTool::Read],
        )
    }

    #[tokio::test]
    async fn what_is_shown_is_kept_with_its_digest_and_calls_that_say_nothing_count() {
        let desk = desk(100);
        let shown = desk.look_up("search", r#"{"words": "x"}"#).await;
        assert!(shown.starts_with("<material>\né") && shown.ends_with("é\n</material>"), "{shown}");
        let nothing = desk.look_up("read", r#"{"path": "x"}"#).await;
        assert!(nothing.contains("no such file"));
        let made = desk.list_made();
        assert_eq!(made.iter().map(|made| made.lookup.failed).collect::<Vec<_>>(), [false, true]);
        assert_eq!((&made[0].text, &made[0].lookup.result), (&shown, &Digest::from_content(&shown)));
        assert!(desk.look_up("open", r#"{"address": "https://a.b"}"#).await.contains("not offered"));
        for _ in 0..10_000 {
            desk.look_up("shell", "rm").await;
        }
        assert!(desk.is_closed() && desk.list_made().len() == 2);
        assert!(desk.look_up("search", r#"{"words": "x"}"#).await.contains("Give it now"));
        desk.clear();
        assert!(!desk.is_closed() && desk.list_made().is_empty());
    }

    #[tokio::test]
    async fn results_are_cut_between_characters_and_all_of_them_are_bounded() {
        let desk = desk(100_001);
        let shown = desk.look_up("search", r#"{"words": "x"}"#).await;
        assert!(shown.len() < RESULT_BYTES_MAX + 50 && shown.ends_with("(cut here)\n</material>"), "{}", shown.len());
        while !desk.is_closed() {
            desk.look_up("search", r#"{"words": "x"}"#).await;
        }
        let bytes: usize = desk.list_made().iter().map(|made| made.text.len()).sum();
        assert!(bytes <= ANSWER_BYTES_MAX + 300, "{bytes}");
    }
}
