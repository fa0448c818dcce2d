//! What is said while an answer is given piece by piece.

use crate::message::{ChatMessage, ChatRole};

/// The messages that the next piece sees, and all that the model wrote before it.
#[derive(Debug, Default)]
pub struct Conversation {
    messages: Vec<ChatMessage>,
    /// The messages when the first part began.
    before_parts: Option<Vec<ChatMessage>>,
    written: Vec<String>,
}

impl Conversation {
    /// Adds a message. It continues the last one where both are of the same role: models expect that roles alternate.
    pub fn add_message(&mut self, message: ChatMessage) {
        match self.messages.last_mut() {
            Some(last) if last.role == message.role => last.add_paragraph(&message.text),
            _ => self.messages.push(message),
        }
    }

    /// Adds what the model wrote.
    pub fn add_reply(&mut self, text: String) {
        self.written.push(text.clone());
        self.add_message(ChatMessage::new(ChatRole::Assistant, text));
    }

    /// Adds what the model wrote, where it went on with its message before; gives that message.
    pub fn hear_more(&mut self, text: &str) -> String {
        self.written.push(text.to_owned());
        match self.messages.last_mut() {
            Some(last) if last.role == ChatRole::Assistant => {
                last.text.push(' ');
                last.text.push_str(text);
                last.text.clone()
            }
            _ => {
                self.add_message(ChatMessage::new(ChatRole::Assistant, text));
                text.to_owned()
            }
        }
    }

    /// The messages before the last one, and the last one's text, where it is the model's: it can continue it.
    pub fn split_unfinished(&self) -> (&[ChatMessage], &str) {
        match self.messages.split_last() {
            Some((last, before)) if last.role == ChatRole::Assistant => (before, &last.text),
            _ => (&self.messages, ""),
        }
    }

    /// Returns to what was said before the first part.
    pub fn begin_part(&mut self) {
        self.messages = self.before_parts.get_or_insert_with(|| self.messages.clone()).clone();
    }

    /// What the next piece sees.
    pub fn messages(&self) -> &[ChatMessage] {
        &self.messages
    }

    /// What the model wrote so far, in all parts: it should not be repeated.
    pub fn written_texts(&self) -> &[String] {
        &self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> ChatMessage {
        ChatMessage::new(ChatRole::User, text)
    }

    #[test]
    fn a_part_sees_nothing_of_the_parts_before_it() {
        let mut conversation = Conversation::default();
        conversation.add_message(user("The plan."));
        for part in ["one", "two"] {
            conversation.begin_part();
            conversation.add_message(user(part));
            let texts: Vec<&str> = conversation.messages().iter().map(|message| message.text.as_str()).collect();
            assert_eq!(texts, [format!("The plan.\n\n{part}")]);
            conversation.add_reply(format!("About {part}."));
            conversation.add_message(user("More."));
            assert_eq!(conversation.messages().len(), 3);
        }
        assert_eq!(conversation.written_texts(), ["About one.", "About two."]);
    }

    #[test]
    fn the_model_goes_on_with_its_own_message_only() {
        let mut conversation = Conversation::default();
        conversation.add_message(user("Why?"));
        assert_eq!(conversation.split_unfinished(), (&[user("Why?")][..], ""));
        conversation.add_reply("It helps.".into());
        assert_eq!(conversation.split_unfinished(), (&[user("Why?")][..], "It helps."));
        assert_eq!(conversation.hear_more("For example, a girl reads."), "It helps. For example, a girl reads.");
        assert_eq!(conversation.messages().len(), 2);
        assert_eq!(conversation.written_texts(), ["It helps.", "For example, a girl reads."]);
        conversation.add_message(user("More."));
        assert_eq!(conversation.hear_more("A boy, too."), "A boy, too.");
        assert_eq!(conversation.messages().len(), 4);
    }

    #[test]
    fn what_is_said_twice_in_a_row_is_one_message() {
        let mut conversation = Conversation::default();
        conversation.add_message(user("a"));
        conversation.add_message(user("b"));
        assert_eq!(conversation.messages(), [user("a\n\nb")]);
    }
}
