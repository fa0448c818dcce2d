//! Whole debates in other languages and scripts, from the names of the debaters to the outcome.

use super::*;

/// What is said in one language.
struct Spoken {
    names: [&'static str; 2],
    log_names: [&'static str; 2],
    sentences: [&'static str; 4],
    insult: &'static str,
    quote: &'static str,
    point: &'static str,
    reason: &'static str,
}

const ALL: [Spoken; 3] = [
    Spoken {
        names: ["王芳", "李伟"],
        log_names: ["debater-1", "debater-2"],
        sentences: [
            "镇上的图书馆在冬天几乎每天都坐满了人，关掉它就等于把老人和孩子赶到街上去。",
            "维持三座分馆的钱本来可以用来修路，而路是每个人每天都要走的。",
            "如果没有分馆，住在河对岸的学生放学之后就再也没有地方可以写作业了。",
            "一座大的图书馆比三座小的更容易管理，书也会更多，开放的时间也会更长。",
        ],
        insult: "王芳是个骗子，她收了出版社的钱，这里的人谁都知道，只是没有人敢说出来而已，这样的话谁还会相信呢。",
        quote: "是个骗子，她收了出版社的钱",
        point: "谁来付这笔钱还没有说清楚。",
        reason: "王芳在第二条和第五条中的理由没有得到回答，李伟的反驳只涉及费用，没有涉及学生的处境，因此王芳的论证更充分。",
    },
    Spoken {
        names: ["فاطمة", "Jörg"],
        log_names: ["debater-1", "Jorg"],
        sentences: [
            "المكتبة ممتلئة كل مساء في الشتاء، وإغلاقها يعني إخراج الأطفال والمسنين إلى الشارع.",
            "المال الذي يصرف على ثلاثة فروع يمكن أن يصرف على الطرق التي يسير عليها الجميع كل يوم.",
            "بدون الفروع لن يجد الطلاب الذين يسكنون وراء النهر مكانا يكتبون فيه واجباتهم.",
            "مكتبة كبيرة واحدة أسهل في الإدارة من ثلاث صغيرة، وكتبها أكثر وساعاتها أطول.",
        ],
        insult: "فاطمة كاذبة وقد أخذت مالا من الناشرين، وكل من في هذه القاعة يعرف ذلك جيدا.",
        quote: "كاذبة وقد أخذت مالا من الناشرين",
        point: "من سيدفع هذا المال لم يتضح بعد.",
        reason: "لم يرد أحد على حجج فاطمة في القيدين الثاني والخامس، واكتفى الطرف الآخر بالحديث عن التكلفة وحدها.",
    },
    Spoken {
        names: ["Käthe Größ", "Sönke"],
        log_names: ["Kathe-Gro", "Sonke"],
        sentences: [
            "Im Winter ist die Bücherei jeden Abend voll, und wer sie schließt, setzt Alte und Kinder auf die Straße.",
            "Das Geld für drei Zweigstellen fehlt beim Straßenbau, und auf den Straßen ist jeder jeden Tag unterwegs.",
            "Ohne die Zweigstellen haben die Schüler jenseits des Flusses nachmittags keinen Ort mehr zum Lernen.",
            "Ein großes Haus ist leichter zu führen als drei kleine, es hat mehr Bücher und länger geöffnet.",
        ],
        insult: "Käthe Größ ist eine Lügnerin, die von den Verlagen bezahlt wird, und das weiß hier jeder.",
        quote: "ist eine Lügnerin, die von den Verlagen bezahlt wird",
        point: "Wer das bezahlt, ist nicht geklärt.",
        reason: "Die Gründe von Käthe Größ in seq 2 und seq 5 hat niemand beantwortet; Sönke sprach allein von den Kosten.",
    },
];

fn debate(spoken: &Spoken) -> Record {
    let entry = |kind: &str, at: usize| spoken_entry(kind, spoken.sentences[at]);
    let concluded = || {
        let each = |name: &str| json!({"for": name, "text": spoken.reason, "entries": ["3"]});
        said(
            json!({"reasons": spoken.names.map(each), "reason": spoken.reason, "outcome": spoken.names[0], "answer": {"do": spoken.point}}),
        )
    };
    play(settled(spoken.names), |request| match request.key.as_str() {
        "opening/debater-1" => entry("opening_statement", 0),
        "opening/debater-2" => entry("opening_statement", 1),
        "round-001/debater-1" => entry("new_point", 2),
        "round-001/debater-2" => spoken_entry("new_point", spoken.insult),
        "round-001/questions" => said(json!({"questions": [{"to": spoken.names[0], "question": spoken.point}]})),
        "round-001/questions/relay" => said(json!({"relay": [true]})),
        "unresolved" => {
            said(json!({"points": [spoken.point], "rulings": [{"seq": "7", "rule": "6", "quote": spoken.quote,
            "reason": spoken.point, "ruling": "infraction"}]}))
        }
        "unresolved/confirm/seq-7-rule-6" => said(json!({"choice": "infraction", "quote": spoken.quote})),
        "closing/debater-2" => entry("closing_statement", 3),
        "closing/debater-1" => spoken_entry("closing_statement", spoken.reason),
        "conclusion" | "conclusion/swapped" => concluded(),
        _ => None,
    })
}

fn spoken_entry(kind: &str, words: &str) -> Option<Reply> {
    spoken(plain(kind, &format!("[CONJECTURE] {words}")))
}

#[test]
fn debates_in_chinese_arabic_and_german_come_to_their_end() {
    for spoken in &ALL {
        let record = debate(spoken);
        let outcome = record.closing_outcome().unwrap();
        let [winner, other] = spoken.log_names;
        assert_eq!(outcome.name, format!("{winner}_wins"), "{}", outcome.summary);
        let log = DebateLog::from_view(&View::of_whole_record(&record));
        let speakers: Vec<&str> = log.standing_arguments().map(|logged| logged.item.speaker.as_str()).collect();
        assert_eq!(speakers, [winner, other, winner, other, other, winner]);
        assert!(rulings(&record)[0].contains(spoken.quote), "{:?}", rulings(&record));
        let asked_of = log.0.iter().find_map(|logged| logged.item.to.clone());
        assert_eq!(asked_of.as_deref(), Some(winner));
        let cast = facts(&record, "round-001/debater-1")["cast"].clone();
        assert_eq!(cast[0]["name"], spoken.names[0], "prompts show the name as it is written");
        let shown = facts(&record, "conclusion")["log"].clone();
        assert!(shown.as_array().unwrap().iter().any(|entry| entry["by"] == spoken.names[1]), "{shown}");
        assert!(warnings(&record).iter().all(|text| !text.contains("words; at most")), "{:?}", warnings(&record));
    }
}

#[test]
fn nothing_is_decided_where_no_second_reading_is_answered() {
    for spoken in &ALL {
        let record = play_without_confirmations(spoken);
        assert_eq!(record.closing_outcome().unwrap().name, "draw", "{}", record.closing_outcome().unwrap().summary);
        assert_eq!(facts(&record, "conclusion")["rulings"], json!([]));
    }
}

fn play_without_confirmations(spoken: &Spoken) -> Record {
    let whole = debate(spoken);
    play(settled(spoken.names), |request| {
        let key = request.key.as_str();
        if key.contains("/confirm/") || key == "conclusion/swapped" {
            return failed();
        }
        let known = whole.find_answer(&request.key)?.1.reply.clone();
        Some(known)
    })
}
