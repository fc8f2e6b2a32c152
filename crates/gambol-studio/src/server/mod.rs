//! The studio as a program: the page and its engine on this machine's own loopback, for this user alone.
//!
//! ```text
//! browser ── GET /?token=… ──► guard ──► page        files made by Vite, in the binary
//!         ── /socket?token=… ► guard ──► connection ──► Engine on a thread of its own ──► DiskShelf
//! ```
//!
//! Everything that happens to be open in the browser can send requests here, and so can every program of this machine.
//! So `guard` lets pass only what was asked under our own name (no DNS rebinding) by our own page (no other origin)
//! with the token that only the user's terminal and folder hold.

mod connection;
mod guard;
mod page;
mod place;
mod shelf;
mod token;

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::{Semaphore, watch};

use crate::Engine;

pub use place::default_folder;
pub use shelf::DiskShelf;
pub use token::Token;

/// Most requests at once; a browser opens six for a page.
const MOST_REQUESTS: usize = 64;
/// Most pages at once: each has an engine, with a creature of some megabytes in it.
const MOST_PAGES: usize = 32;
/// How long a request may take to arrive, and how long an idle connection is kept.
const SLOWEST_REQUEST: Duration = Duration::from_secs(5);
/// How long pages may take to hear that the studio ends.
const LONGEST_GOODBYE: Duration = Duration::from_secs(1);

/// A server that listens, and answers once it runs.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    studio: Arc<Studio>,
}

/// What all requests share.
struct Studio {
    /// The port that we are asked under.
    port: u16,
    token: Token,
    engine: Box<dyn Fn() -> Engine + Send + Sync>,
    pages: Arc<Semaphore>,
    /// Becomes true when the studio ends.
    ending: watch::Receiver<bool>,
    end: watch::Sender<bool>,
}

impl Server {
    /// Listens on `port` of the loopback, or on any that is free if it is 0. Each page gets an engine of its own.
    pub fn bind(
        port: u16,
        token: Token,
        engine: impl Fn() -> Engine + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (end, ending) = watch::channel(false);
        let pages = Arc::new(Semaphore::new(MOST_PAGES));
        let studio = Studio { port: address.port(), token, engine: Box::new(engine), pages, ending, end };
        Ok(Self { listener, address, studio: Arc::new(studio) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The page's address, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.studio.token.text())
    }

    /// Serves until `end` comes, then tells the pages. One thread is enough for what goes in and out; engines have
    /// their own.
    pub fn run(self, end: impl Future<Output = ()>) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.serve(end))
    }

    async fn serve(self, end: impl Future<Output = ()>) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let studio = self.studio;
        let router = Router::new()
            .route("/socket", get(socket))
            .fallback(page::answer)
            .layer(from_fn_with_state(studio.clone(), guarded))
            .with_state(studio.clone());
        let requests = Arc::new(Semaphore::new(MOST_REQUESTS));
        let accept = async {
            loop {
                // Closed never.
                let Ok(permit) = requests.clone().acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else {
                    // One connection is gone already, or there are too many open files: wait for better times.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let _ = stream.set_nodelay(true); // only makes answers quicker
                let service = TowerToHyperService::new(router.clone());
                tokio::spawn(async move {
                    let connection = hyper::server::conn::http1::Builder::new()
                        .timer(TokioTimer::new())
                        .header_read_timeout(SLOWEST_REQUEST)
                        .serve_connection(TokioIo::new(stream), service)
                        .with_upgrades();
                    let _ = connection.await; // who is gone needs no answer
                    drop(permit);
                });
            }
        };
        tokio::select! {
            () = accept => {}
            () = end => {}
        }
        studio.end.send_replace(true);
        // All are gone when all permits are back.
        let all = u32::try_from(MOST_PAGES).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(LONGEST_GOODBYE, studio.pages.acquire_many(all)).await;
        Ok(())
    }
}

/// Comes when the user presses Ctrl-C, or the system ends us.
pub async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Answers what may pass, and puts the headers that keep the page to itself on every answer.
async fn guarded(State(studio): State<Arc<Studio>>, request: Request, next: Next) -> Response {
    let method = request.method();
    let checked = if *method == Method::GET || *method == Method::HEAD {
        guard::check(request.headers(), request.uri(), &studio)
    } else {
        Err(guard::Refusal::method())
    };
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    guard::harden(response.headers_mut(), studio.port);
    response
}

async fn socket(
    State(studio): State<Arc<Studio>>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    match upgrade {
        Ok(upgrade) => connection::accept(upgrade, studio),
        Err(_) => {
            (StatusCode::BAD_REQUEST, Body::from("only a WebSocket is answered here\n")).into_response()
        }
    }
}
