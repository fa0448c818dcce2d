//! What looks like a secret and what does not. The values are put together here, so that this file holds
//! none.

use super::*;

/// Letters and digits that look random.
const NOISE: &str = "q7Zk2Lw9Xr4Tb8Vn1Mc5Hd3Jf6Gs0PyUaEoRiKtWvBxNzQmCl7Dh2Fj9Sk4Ap8Lq3Wz6Xe1Rc5Tv0YbGuNiMoJpKhAfDs2";

fn noise(length: usize) -> &'static str {
    &NOISE[..length]
}

fn upper(length: usize) -> String {
    "Q7ZK2LW4XR4TB5VN6MC5"[..length].to_owned()
}

fn hex(length: usize) -> String {
    "3f9a1c7e5b2d8064".repeat(8)[..length].to_owned()
}

fn rule(line: &str) -> Option<&'static str> {
    in_text(line).into_values().next()
}

#[test]
fn each_form_is_found() {
    let lines = [
        (["-----BEGIN RSA PRIV", "ATE KEY-----"].concat(), "private key"),
        (["-----BEGIN PRIV", "ATE KEY-----"].concat(), "private key"),
        (format!("id = AK{}{}", "IA", upper(16)), "AWS access key"),
        (format!("aws_secret_access_key = {}", noise(40)), "AWS secret key"),
        (format!("key=AI{}{}", "za", noise(35)), "Google API key"),
        (format!("GOC{}-{}", "SPX", noise(28)), "Google OAuth secret"),
        (format!("x;AccountKey={}==", noise(86)), "Azure storage key"),
        (format!("{}8Q{}{}", noise(3), "~", noise(34)), "Azure client secret"),
        (format!("https://a.blob/x?sig={}%3D", noise(43)), "Azure shared access signature"),
        (format!("gh{}_{}", "p", noise(36)), "GitHub token"),
        (format!("github_{}_{}_{}", "pat", noise(22), noise(59)), "GitHub token"),
        (format!("gl{}-{}", "pat", noise(20)), "GitLab token"),
        (format!("xo{}-{}", "xb", noise(30)), "Slack token"),
        (format!("https://hooks.slack{}/services/{}", ".com", noise(30)), "Slack webhook"),
        (format!("sk_{}_{}", "live", noise(24)), "Stripe key"),
        (format!("sk-{}-api03-{}", "ant", noise(40)), "Anthropic key"),
        (format!("sk-{}-{}", "proj", noise(40)), "OpenAI key"),
        (format!("sk-{}", noise(48)), "OpenAI key"),
        (format!("sk-or-{}-{}", "v1", hex(64)), "OpenRouter key"),
        (format!("hf{}{}", "_", "qZkLwXrTbVnMcHdJfGsPyUaEoRiKtWvBxNzQ".get(..34).unwrap()), "Hugging Face token"),
        (format!("npm{}{}", "_", noise(36)), "npm token"),
        (format!("//registry.npmjs.org/:_authToken={}", noise(36)), "npm token"),
        (format!("pypi-{}{}", "AgE", noise(60)), "PyPI token"),
        (format!("cargo login ci{}{}", "o", noise(32)), "crates.io token"),
        (format!("dckr_{}_{}", "pat", noise(27)), "Docker token"),
        (format!("dop_{}_{}", "v1", hex(64)), "DigitalOcean token"),
        (format!("S{}.{}.{}", "G", noise(22), noise(43)), "SendGrid key"),
        (format!("AGE-SEC{}-1{}", "RET-KEY", upper(20).repeat(2)), "age key"),
        (format!("Private-{}: 14", "Lines"), "PuTTY private key"),
        (format!("hv{}.{}", "s", noise(90)), "Vault token"),
        (format!("gs{}_{}", "k", noise(52)), "Groq key"),
        (format!("xa{}-{}", "i", noise(80)), "xAI key"),
        (format!("ppl{}-{}", "x", noise(48)), "Perplexity key"),
        (format!("r{}_{}", "8", noise(37)), "Replicate token"),
        (format!("shp{}_{}", "at", hex(32)), "Shopify token"),
        (format!("lin_{}_{}", "api", noise(40)), "Linear key"),
        (format!("fig{}_{}", "d", noise(40)), "Figma token"),
        (format!("nt{}_{}", "n", noise(46)), "Notion token"),
        (format!("S{}{}", "K", hex(32)), "Twilio key"),
        (format!("NRA{}-{}", "K", upper(20) + &upper(7)), "New Relic key"),
        (format!("sntry{}_{}", "s", noise(60)), "Sentry token"),
        (format!("gl{}_{}", "sa", noise(41)), "Grafana token"),
        (format!("ATAT{}{}", "T3", noise(90)), "Atlassian token"),
        (format!("{}.atlas{}.{}", noise(14), "v1", noise(67)), "Terraform token"),
        (format!("dap{}{}", "i", hex(32)), "Databricks token"),
        (format!("PMA{}-{}-{}", "K", hex(24), hex(34)), "Postman key"),
        (format!("{}-{}7", hex(32), "us"), "Mailchimp key"),
        (format!("https://discord{}/api/webhooks/{}/{}", ".com", "9".repeat(18), noise(68)), "Discord webhook"),
        (format!("Authorization: Bearer {}", noise(40)), "HTTP authorization"),
        (format!("-H 'Authorization: Basic {}=='", noise(22)), "HTTP authorization"),
        (format!("headers[\"Authorization\"] = \"token {}\"", noise(20)), "HTTP authorization"),
        (format!("auth(\"Bearer {}\")", noise(24)), "HTTP authorization"),
        (format!("machine a.org login me password {}", noise(9)), "password of a netrc file"),
        (format!("machine a.org\n  login me\n  password {}", noise(12)), "password of a netrc file"),
        (format!("jdbc:postgresql://db/x?user=me&password={}", noise(10)), "password in an address"),
        (format!("TWILIO_AUTH_TOKEN={}{}", "5f4dcc3b5aa765d6", "1d8327deb882cf99"), "value of a secret"),
        (format!("{}:{}{}", "123456789", "AA", noise(33)), "Telegram token"),
        (format!("e{}{}.eyJ{}.{}", "yJ", noise(20), noise(30), noise(40)), "JSON web token"),
        (format!("postgres://app:{}@db.internal/x", noise(12)), "password in an address"),
        (format!("redis://:{}@cache:6379", noise(12)), "password in an address"),
        (format!("Server=x;User=y;Password={};", noise(12)), "password in a connection string"),
        (format!("SESSION_SECRET={}", noise(32)), "value of a secret"),
        (format!("  \"api_key\": \"{}\",", noise(24)), "value of a secret"),
        (format!("password: {}\r", noise(20)), "value of a secret"),
        // First in its string; before a comment; before another field; as an argument.
        (format!("var s = \"Password={};Server=x\";", noise(12)), "password in a connection string"),
        (format!("DB_PASSWORD={}   # production", noise(20)), "value of a secret"),
        (format!("{{\"password\": \"{}\", \"user\": \"a\"}}", noise(20)), "value of a secret"),
        (format!("connect(token=\"{}\")", noise(24)), "value of a secret"),
    ];
    for (line, wanted) in &lines {
        assert_eq!(rule(line), Some(*wanted), "{line}");
    }
    let tested: BTreeSet<&str> = lines.iter().map(|(_, rule)| *rule).collect();
    let all: BTreeSet<&str> = RULES.each.iter().map(|(rule, _)| rule.name.as_str()).collect();
    assert_eq!(tested, all, "each rule has a line here");
}

#[test]
fn what_only_resembles_a_secret_is_not_found() {
    for line in [
        "the public key: -----BEGIN PUBLIC KEY-----",
        "Authorization: Bearer $TOKEN_OF_THE_SERVICE",
        "Authorization: Bearer <your token>",
        "\"Authorization\": \"Bearer \" + accessTokenOfTheUser",
        "  password authentication",
        "  password reset2",
        "    password varchar(255)",
        "if(user&&password==storedPassword2)",
        "const string &pwd=default_pwd;",
        "https://a.org/?user=%(user)s&password=%(password)s",
        "glc_configuration_options_for_the_renderer",
        "Authorization: Bearer settings.oauth2.access_token",
        &format!("tokenizer_md5: {}", "d41d8cd98f00b204e9800998ecf8427e"),
        "machine a.org login me password $PASSWORD",
        "https://a.org/login?user=x&password=$1",
        "Private-Lines: are counted",
        "a task-SKILL and an r8_register",
        &format!("AK{}IOSFODNN7EXAMPLE", "IA"),
        "postgres://user:password@localhost/db",
        "postgres://$USER:$PASSWORD@localhost/db",
        "https://example.org:8080/path@2",
        "git@github.com:agon/agon.git",
        "PASSWORD=changeme-changeme-123456",
        "API_KEY=your-api-key-goes-here-1",
        "token = aaaaaaaaaaaaaaaaaaaaaaaa1",
        "let token = parse_token_v2(input)?;",
        "tokens_max: 4096,",
        "secret: ${{ secrets.DEPLOY_TOKEN_2 }}",
        "password = read_line_from_terminal",
        "sha256 = 3f9a1c7e5b2d80643f9a1c7e5b2d8064",
        "let password = take_from(place_of_secret_7, 2);",
        "password=x1y2z3; the rest of the line is prose",
        "skills-are-not-keys-and-never-were-such-things",
    ] {
        assert_eq!(rule(line), None, "{line}");
    }
}

#[test]
fn findings_name_places_and_never_the_secret() {
    let token = format!("gh{}_{}", "p", noise(36));
    let diff = format!("--- a/c.env\n+++ b/c.env\n@@ -4,2 +4,2 @@\n same\n-OLD={token}\n+TOKEN={token}\n");
    let files = vec![
        GatheredFile::new("c.env", MaterialKind::Diff, diff),
        GatheredFile::new("c.env", MaterialKind::File, format!("\n\n\nsame\nTOKEN={token}\n")),
        GatheredFile::new("a.md", MaterialKind::Page, format!("a {token} {token}\nb {token}\n")),
    ];
    let found = find_secrets(&Gathered { files, ..Gathered::default() });
    let places: Vec<_> = found.iter().map(|secret| (secret.path.as_str(), secret.line)).collect();
    assert_eq!(places, [("a.md", Some(1)), ("a.md", Some(2)), ("c.env", None), ("c.env", Some(5))]);
    assert!(!format!("{found:?}").contains(noise(10)));
    let many = format!("{token}\n").repeat(1_000);
    assert_eq!(in_text(&many).len(), FINDINGS_MAX);
}
