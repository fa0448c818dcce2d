//! Panels of three with one disagreement between the first two, in any language, answer by answer.

use agon_core::{Limits, Outcome, Record, Reply};
use serde_json::{Value, json};

use super::play::{drive_by, failed, opened, said};

/// What is said on a panel before anybody is asked.
pub struct Topic {
    pub names: [&'static str; 3],
    pub openings: [&'static str; 3],
    pub about: &'static str,
    /// What the first two disagree on, in their words.
    pub claims: [&'static str; 2],
    pub question: &'static str,
}

/// Three branch libraries.
pub const LIBRARIES: Topic = Topic {
    names: ["Marta", "Jonas", "Wim"],
    openings: [
        "Our branch served 212 children last winter, and most of them had no other warm room. The strongest objection is cost, which I grant is real.",
        "Closing the three branches saves ninety thousand euros a year that the main library needs. The strongest objection is distance, and the bus answers it.",
        "I doubt that buildings matter at all when a van can bring the books. A van costs a tenth of a branch.",
    ],
    about: "whether the branches pay for themselves",
    claims: [
        "Our branch served 212 children last winter",
        "saves ninety thousand euros a year that the main library needs",
    ],
    question: "How many of these children would the bus bring to the main library, and how would you know?",
};

/// The same in Chinese.
pub const CHINESE: Topic = Topic {
    names: ["王芳", "李伟", "赵敏"],
    openings: [
        "我们的分馆去年冬天接待了二百一十二个孩子，他们没有别的地方可去。最强的反对意见是费用。",
        "关闭三个分馆每年可以节省九万欧元，总馆需要这笔钱。最强的反对意见是距离。",
        "我怀疑建筑物是否重要，一辆流动图书车就够了。流动车的费用只有十分之一。",
    ],
    about: "分馆是否划算",
    claims: ["我们的分馆去年冬天接待了二百一十二个孩子", "关闭三个分馆每年可以节省九万欧元"],
    question: "公共汽车能把其中多少孩子带到总馆，有什么记录？",
};

/// In Arabic.
pub const ARABIC: Topic = Topic {
    names: ["سلمى", "كريم", "هدى"],
    openings: [
        "استقبل فرعنا مئتين واثني عشر طفلا في الشتاء الماضي، ولم يكن لمعظمهم غرفة دافئة أخرى. أقوى اعتراض هو التكلفة.",
        "إغلاق الفروع الثلاثة يوفر تسعين ألف يورو كل عام تحتاجها المكتبة الرئيسية. أقوى اعتراض هو المسافة.",
        "أشك في أهمية المباني أصلا ما دامت عربة واحدة تستطيع أن تحمل الكتب إلى القرى.",
    ],
    about: "هل تستحق الفروع كلفتها",
    claims: ["استقبل فرعنا مئتين واثني عشر طفلا", "إغلاق الفروع الثلاثة يوفر تسعين ألف يورو كل عام"],
    question: "كم من هؤلاء الأطفال ستوصله الحافلة إلى المكتبة الرئيسية، وما الدليل على ذلك؟",
};

/// In German.
pub const GERMAN: Topic = Topic {
    names: ["Grete", "Holger", "Jörg"],
    openings: [
        "Unsere Zweigstelle hatte im letzten Winter 212 Kinder zu Gast, die meisten ohne einen anderen warmen Raum. Der stärkste Einwand sind die Kosten.",
        "Die Schließung der drei Zweigstellen spart neunzigtausend Euro im Jahr, die das Haupthaus braucht. Der stärkste Einwand ist der Weg.",
        "Ich bezweifle, dass es auf Gebäude ankommt, wenn ein Bus die Bücher bringt.",
    ],
    about: "ob sich die Zweigstellen lohnen",
    claims: [
        "Unsere Zweigstelle hatte im letzten Winter 212 Kinder zu Gast",
        "spart neunzigtausend Euro im Jahr, die das Haupthaus braucht",
    ],
    question: "Wie viele dieser Kinder brächte der Bus ins Haupthaus, und woher wissen Sie das?",
};

impl Topic {
    /// The comparison of the openings, with the first question to the second panelist.
    pub fn analysis(&self) -> Value {
        let claim = |at: usize| json!({"panelist": self.names[at], "quote": self.claims[at]});
        json!({
            "shared_position": "All wish for good libraries.", "agreements": [], "all_agree": false,
            "disagreements": [{"topic": self.about, "kind": "weight", "rank": "high", "claims": [claim(0), claim(1)]}],
            "next": {"target": self.names[1], "quote": self.claims[0], "question": self.question},
        })
    }

    /// A review that reads the claim that was asked about as `choice`, and then asks `target` about what the other said.
    pub fn review(&self, (choice, quote): (&str, &str), target: usize, question: &str) -> Value {
        let other = usize::from(target == 0);
        json!({
            "claim": {"choice": choice, "quote": quote, "with": self.names[0]},
            "shift": {"toward": "nobody", "on": ""}, "deadlock": "none", "repeats_round": 0, "new_insight": true,
            "new_evidence": [], "position_shift": false,
            "next": {"action": "ask", "disagreement": "D1", "target": self.names[target], "quote": self.claims[other],
                     "question": question},
        })
    }

    /// The synthesis of a panel in which everything converged, or nothing did.
    pub fn synthesis(&self, converged: bool) -> Value {
        let open =
            json!({"disagreement": "D1", "one_side": "It pays.", "other_side": "It does not.", "why": "No figures."});
        json!({
            "findings": [{"finding": self.about, "disagreement": "D1", "evidence": self.about,
                          "agreed": [{"name": self.names[0], "quote": self.claims[0]}]}],
            "modifications": [], "insights": [], "unresolved": if converged { json!([]) } else { json!([open]) },
            "answer": {"do": self.about, "unless": ""},
        })
    }
}

/// The panel of a topic with these answers by key, at most `rounds` exchanges; what has no answer fails. The moderator
/// decides nothing by what it reads, where `is_unfit` says so.
pub fn play_topic(topic: &Topic, rounds: u32, is_unfit: bool, answers: &[(&str, Value)]) -> Record {
    let mut opened = opened();
    opened.limits = Limits { rounds, ..Limits::default() };
    for (seat, name) in opened.lineup.iter_mut().zip(topic.names) {
        (seat.name, seat.persona) = (Some(name.into()), None);
    }
    let reply = |key: &str| -> Option<Reply> {
        let told = |value: &Value| value.as_str().map_or_else(|| said(value), said);
        if let Some((_, value)) = answers.iter().find(|(at, _)| *at == key) {
            return Some(told(value));
        }
        let opening = (0..3).find(|at| key == format!("opening/panelist-{}", at + 1));
        if let Some(at) = opening {
            return Some(said(topic.openings[at]));
        }
        let part = match key {
            "lenses" => json!({"lenses": [
                {"panelist": topic.names[0], "lens": "Field Experience"},
                {"panelist": topic.names[1], "lens": "ROI & Leverage"},
                {"panelist": topic.names[2], "lens": "Contrarian"}]}),
            "analysis-000/disagreements" => topic.analysis(),
            _ => return Some(failed(agon_core::FailureKind::Refused, "declined")),
        };
        Some(told(&part))
    };
    let mut record = Record::open(opened, agon_core::Stamp("2026-01-31T09:30:00.000Z".into())).unwrap();
    drive_by(&mut record, is_unfit, &|request, _| reply(request.key.as_str()));
    record
}

/// The panel in which the second panelist gives this answer, the moderator reads it so, and the speaker says `word` of
/// it; then nothing more can be asked.
pub fn one_answer(topic: &Topic, answer: &str, read: (&str, &str), word: &str) -> Record {
    play_topic(
        topic,
        1,
        false,
        &[
            ("exchange-001/answer", json!(answer)),
            ("exchange-001/review", topic.review(read, 0, topic.question)),
            ("exchange-001/review/confirm/d1", json!({"choice": word})),
            ("synthesis-000", topic.synthesis(read.0 == "gives_up" && word == "gives_up")),
        ],
    )
}

/// How a record ended.
pub fn end(record: &Record) -> &Outcome {
    record.closing_outcome().expect("it is over")
}
