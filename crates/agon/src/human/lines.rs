//! Lines that a person types, one after the other, and what they had typed of the next when nobody waits
//! for it any more.

use std::{
    io,
    sync::{LazyLock, mpsc as blocking},
    thread,
    time::Duration,
};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use tokio::sync::{Mutex, mpsc};

/// How often, and after what pause, it is looked for a line that is given up half typed.
const LOOKS: usize = 20;
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// Lines of standard input. A separate thread reads them, when one is wanted: a person who is not
/// longer waited for must not hold up the program.
pub struct InputLines {
    wanted: blocking::Sender<()>,
    typed: mpsc::UnboundedReceiver<Option<String>>,
    /// A line was asked for and has not come.
    outstanding: bool,
}

/// The one keyboard.
pub static LINES: LazyLock<Mutex<InputLines>> = LazyLock::new(|| {
    let (wanted, wants) = blocking::channel::<()>();
    let (sender, typed) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for () in wants {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            let line = read.is_ok_and(|bytes| bytes > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned());
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Mutex::new(InputLines { wanted, typed, outstanding: false })
});

impl InputLines {
    /// The next line; `None` for the end of input. Dropping the future loses no line.
    pub async fn next(&mut self) -> Option<String> {
        if !self.outstanding {
            self.wanted.send(()).ok()?;
            self.outstanding = true;
        }
        let line = self.typed.recv().await.flatten();
        self.outstanding = false;
        line
    }

    /// What was typed of a line that has not ended: taken out of the terminal, so that it does not become
    /// the beginning of the next answer.
    pub fn take_unfinished_line(&mut self) -> Option<String> {
        if !self.outstanding {
            return None;
        }
        let stdin = io::stdin();
        let before = tcgetattr(&stdin).ok()?;
        let mut hasty = before.clone();
        // Without lines of its own the terminal hands over what it has, and then ends.
        hasty.local_modes.remove(LocalModes::ICANON);
        hasty.special_codes[SpecialCodeIndex::VMIN] = 0;
        hasty.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&stdin, OptionalActions::Now, &hasty).ok()?;
        let mut half = None;
        for _ in 0..LOOKS {
            if let Ok(line) = self.typed.try_recv() {
                self.outstanding = false;
                half = line;
                break;
            }
            thread::sleep(LOOK_PAUSE);
        }
        // Where this fails the shell sets its terminal again.
        let _ = tcsetattr(&stdin, OptionalActions::Now, &before);
        half.filter(|line| !line.trim().is_empty())
    }

    /// Lines that a test types.
    #[cfg(test)]
    pub fn from_lines(lines: &[&str]) -> Self {
        let (wanted, wants) = blocking::channel();
        std::mem::forget(wants);
        let (sender, typed) = mpsc::unbounded_channel();
        for line in lines {
            sender.send(Some((*line).to_owned())).unwrap();
        }
        Self { wanted, typed, outstanding: false }
    }
}
