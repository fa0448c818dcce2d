//! What the keys do.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::model::{State, ViewModel};

/// What a reader can ask for, in addition to reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewCommand {
    Pause,
    Resume,
    Interject(String),
    /// The view ends; a debate that is driven here stops and can be resumed.
    Leave,
    /// The same by Ctrl-C.
    Interrupt,
}

impl ViewModel {
    /// Takes a key; gives what is to be done for it.
    pub fn apply_key(&mut self, key: KeyEvent) -> Option<ViewCommand> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if has_control && key.code == KeyCode::Char('c') {
            return Some(ViewCommand::Interrupt);
        }
        self.message = None;
        if self.input.is_some() {
            return self.edit_input(key.code, has_control);
        }
        if self.has_help {
            self.has_help = false;
            return (key.code == KeyCode::Char('q')).then_some(ViewCommand::Leave);
        }
        match key.code {
            KeyCode::Char('q') => return Some(ViewCommand::Leave),
            KeyCode::Enter if self.state == State::Closed => return Some(ViewCommand::Leave),
            KeyCode::Char('p') => return self.toggle_pause(),
            KeyCode::Char('i') if self.state == State::Closed => {}
            KeyCode::Char('i') if self.powers.interjects => self.input = Some(String::new()),
            KeyCode::Char('i') => {
                self.message = Some(format!("the protocol {} takes no interjections", self.protocol));
            }
            KeyCode::Char('?' | 'h') => self.has_help = true,
            KeyCode::Char(' ' | 'f') | KeyCode::PageDown => self.pane.scroll_pages(1),
            KeyCode::Char('b') | KeyCode::PageUp => self.pane.scroll_pages(-1),
            KeyCode::Char('j') | KeyCode::Down => self.pane.scroll_lines(1),
            KeyCode::Char('k') | KeyCode::Up => self.pane.scroll_lines(-1),
            KeyCode::Char('g') | KeyCode::Home => self.pane.scroll_to_start(),
            KeyCode::Char('G') | KeyCode::End => self.pane.scroll_to_end(),
            _ => {}
        }
        None
    }

    fn toggle_pause(&mut self) -> Option<ViewCommand> {
        match self.state {
            State::Running => Some(ViewCommand::Pause),
            State::Pausing => Some(ViewCommand::Resume),
            State::Paused if self.powers.drives => Some(ViewCommand::Resume),
            State::Paused => {
                self.message = Some(format!("it is paused; it continues with: agon resume {}", self.id));
                None
            }
            State::Closed => None,
        }
    }

    fn edit_input(&mut self, code: KeyCode, has_control: bool) -> Option<ViewCommand> {
        let input = self.input.as_mut()?;
        match code {
            KeyCode::Esc => self.input = None,
            KeyCode::Enter => {
                let text = self.input.take()?;
                return (!text.trim().is_empty()).then_some(ViewCommand::Interject(text));
            }
            KeyCode::Backspace => drop(input.pop()),
            KeyCode::Char('u') if has_control => input.clear(),
            KeyCode::Char(c) if !has_control => input.push(c),
            _ => {}
        }
        None
    }
}
