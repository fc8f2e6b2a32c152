//! Who may ask.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode, Uri};

use super::Studio;

/// Why a request is not answered.
pub(super) struct Refusal {
    status: StatusCode,
    reason: &'static str,
}

const FOREIGN_NAME: &str = "This is gambol studio, asked under a name that is not its own.";
const FOREIGN_PAGE: &str = "Another web page asked gambol studio for this. Only its own page may.";
const NO_TOKEN: &str = "This address lacks the token that only you have. Use the whole address that \
                        <code>gambol studio</code> printed in the terminal, or run it again.";

impl Refusal {
    fn forbidden(reason: &'static str) -> Self {
        Self { status: StatusCode::FORBIDDEN, reason }
    }

    pub(super) fn method() -> Self {
        Self { status: StatusCode::METHOD_NOT_ALLOWED, reason: "Nothing can be sent here." }
    }

    pub(super) fn not_found() -> Self {
        Self { status: StatusCode::NOT_FOUND, reason: "There is no such page in gambol studio." }
    }

    /// A small page that says what to do.
    pub(super) fn into_response(self) -> Response<Body> {
        let text = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
             <title>gambol studio</title><h1>gambol studio</h1><p>{}</p></html>\n",
            self.reason
        );
        let mut response = Response::new(Body::from(text));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// Whether a request may be answered. Files of the page hold no secrets and need no token; the page and the socket do.
pub(super) fn check(headers: &HeaderMap, uri: &Uri, studio: &Studio) -> Result<(), Refusal> {
    let host = only(headers, &header::HOST).filter(|host| is_ours(host, studio.port));
    let host = host.ok_or(Refusal::forbidden(FOREIGN_NAME))?;
    if uri.authority().is_some_and(|authority| authority.as_str() != host) {
        return Err(Refusal::forbidden(FOREIGN_NAME));
    }
    if headers.contains_key(header::ORIGIN) {
        let origin = only(headers, &header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        if origin != Some(host) {
            return Err(Refusal::forbidden(FOREIGN_PAGE));
        }
    }
    // Browsers say where a request comes from: `none` is the address bar. Other ports of this machine are `same-site`.
    let site = HeaderName::from_static("sec-fetch-site");
    if headers.contains_key(&site) && !matches!(only(headers, &site), Some("same-origin" | "none")) {
        return Err(Refusal::forbidden(FOREIGN_PAGE));
    }
    let needs_token = matches!(uri.path(), "/" | "/socket");
    if needs_token && !token_of(uri).is_some_and(|token| studio.token.is(token)) {
        return Err(Refusal::forbidden(NO_TOKEN));
    }
    Ok(())
}

/// The value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// Whether a host is this machine, and us on it.
fn is_ours(host: &str, port: u16) -> bool {
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host == format!("{name}:{port}"))
}

fn token_of(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Headers of every answer: nothing but the page's own files runs in it, nobody frames or reads it, and no address with
/// a token in it leaves. Pictures and textures of creatures are `blob:` and `data:`, which three.js also fetches.
pub(super) fn harden(headers: &mut HeaderMap, port: u16) {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; \
         worker-src 'self' blob:; connect-src 'self' blob: data: ws://127.0.0.1:{port} ws://localhost:{port}; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let policy = HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
