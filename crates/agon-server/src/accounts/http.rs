//! Small parts of HTTP that logins need: cookies that are set, and addresses that lead back.

use axum::{
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

/// Longest address that a login leads back to, in bytes.
const NEXT_BYTES_MAX: usize = 2000;

/// The value of a `Set-Cookie` header; over HTTPS it is `Secure`.
pub(crate) fn cookie_header(name: &str, value: &str, seconds: u32, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

/// Sets a cookie and leads to another page.
pub(crate) fn redirect_with_cookie(cookie: String, to: &str) -> Response {
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, to.to_owned())];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// `next` as a place on this server, or its first page: never another site, and not the pages of logging in and out.
pub(crate) fn safe_next(next: &str) -> String {
    let first = || "/".to_owned();
    let plain = next.bytes().all(|byte| (b'!'..=b'~').contains(&byte) && byte != b'\\');
    if !plain || next.len() > NEXT_BYTES_MAX || !next.starts_with('/') || next.starts_with("//") {
        return first();
    }
    let Ok(uri) = next.parse::<Uri>() else { return first() };
    let elsewhere = uri.authority().is_some() || uri.scheme().is_some();
    let loops = ["/login", "/logout", "/shared"].iter().any(|path| uri.path().starts_with(path));
    if elsewhere || loops { first() } else { next.to_owned() }
}

/// Whether a body is a form of a page.
pub(crate) fn is_urlencoded(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_never_leads_to_another_site() {
        for good in ["/", "/debates/d1", "/debates/d1?x=1", "/?q=a%20b", "/drafts/0123"] {
            assert_eq!(safe_next(good), good);
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "javascript:alert(1)",
            "evil.example",
            "/login?next=/login",
            "/logout",
            "/ü",
            " /",
            &format!("/{}", "a".repeat(2000)),
        ] {
            assert_eq!(safe_next(bad), "/", "{bad:?}");
        }
    }

    #[test]
    fn a_cookie_is_for_this_server_alone() {
        let cookie = cookie_header("a", "b", 60, true);
        assert_eq!(cookie, "a=b; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure");
        assert!(!cookie_header("a", "b", 60, false).contains("Secure"));
    }
}
