//! The page, as Vite made it: `page/` of this crate.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::Response;
use axum::http::header::{self, HeaderValue};

use super::guard::Refusal;

/// Path, type and content of every file; made by `build.rs`.
const FILES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What `/` is.
const INDEX: &str = "index.html";
/// Vite puts a hash of the content into the names of the files there, so that they never change.
const UNCHANGING: &str = "assets/";

/// A file of the page. Paths are looked up in a table, and reach no file system.
pub(super) async fn answer(request: Request) -> Response<Body> {
    let path = match request.uri().path() {
        "/" => INDEX,
        path => path.strip_prefix('/').filter(|path| *path != INDEX).unwrap_or_default(),
    };
    let Some((_, kind, content)) = FILES.iter().find(|(file, ..)| *file == path) else {
        return Refusal::not_found().into_response();
    };
    let mut response = Response::new(Body::from(Bytes::from_static(content)));
    let cache =
        if path.starts_with(UNCHANGING) { "private, max-age=31536000, immutable" } else { "no-store" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}
