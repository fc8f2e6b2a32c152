//! The studio runs on the user's own machine, where every web page that happens to be open, and every program, can send
//! requests to it. Nobody but the user's own page may be answered; what the page sends may name no file outside of the
//! studio's folder; and nothing that a page sends, or that the engine stumbles over, ends the studio or mixes the work of
//! two tabs. All of it is asked over real sockets, in the bytes that an attacker would send.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::studio::{Studio, binary, connect};
use gambol::formats::Files;
use gambol_studio::protocol::{MOST_BYTES, Shared};
use gambol_studio::server::DiskShelf;
use gambol_studio::{Shelf, Trouble};
use serde_json::{Value, json};
use tempfile::tempdir;
use tungstenite::protocol::frame::coding::CloseCode;

const CREATURE: &[u8] = b"<mujoco model=\"ball\"><worldbody><body name=\"ball\"><freejoint/>\
    <geom type=\"sphere\" size=\"0.1\"/></body></worldbody></mujoco>";

/// Listening on all interfaces would let the whole network in; 127.0.0.2 is this machine too, but not our address.
#[test]
fn only_the_loopback_is_listened_to() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    assert!(studio.address.ip().is_loopback());
    if cfg!(target_os = "linux") {
        let other = TcpStream::connect(("127.0.0.2", studio.address.port()));
        assert_eq!(other.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    }
}

/// With DNS rebinding a page of evil.example becomes of the same origin as we are, but it cannot hide its name.
#[test]
fn only_our_own_name_is_answered() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let (port, token) = (studio.address.port(), &studio.token);
    let page = format!("GET /?token={token}");
    for name in ["127.0.0.1", "localhost", "[::1]"] {
        assert_ne!(studio.raw(&page, &[&format!("Host: {name}:{port}")]).status, 403, "{name}");
    }
    let foreign = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.:{port}"),
        format!("evil@127.0.0.1:{port}"),
        format!("0.0.0.0:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        String::new(),
    ];
    for host in &foreign {
        for path in [page.as_str(), &format!("GET /socket?token={token}"), "GET /assets/x.js"] {
            let status = studio.raw(path, &[&format!("Host: {host}")]).status;
            assert!(matches!(status, 400 | 403), "{host}: {path}: {status}");
        }
    }
    let ours = format!("Host: 127.0.0.1:{port}");
    assert!(matches!(studio.raw(&page, &[]).status, 400 | 403), "no name at all");
    assert!(matches!(studio.raw(&page, &[&ours, "Host: evil.example"]).status, 400 | 403), "two names");
    let absolute = format!("GET http://evil.example/?token={token}");
    assert!(matches!(studio.raw(&absolute, &[&ours]).status, 400 | 403), "another name in the request line");
}

/// Other pages cannot read our answers, but a WebSocket is open to all origins if its server does not look.
#[test]
fn other_pages_are_refused() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let host = format!("Host: {}", studio.address);
    let socket = format!("GET /socket?token={}", studio.token);
    let upgrade =
        ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="];
    // `Connection: close` is in every request of this client, so that an allowed one is a bad upgrade, not a socket.
    let status =
        |lines: &[&str]| studio.raw(&socket, &[&[host.as_str()], &upgrade[..], lines].concat()).status;
    let own = format!("Origin: http://{}", studio.address);
    assert_eq!(status(&[&own]), 400);
    assert_eq!(status(&[&own, "Sec-Fetch-Site: same-origin"]), 400);
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1",
        "http://localhost:3000",
        &format!("https://{}", studio.address),
        &format!("http://{}.evil.example", studio.address),
        &format!("http://{}/", studio.address),
        "",
    ] {
        assert_eq!(status(&[&format!("Origin: {origin}")]), 403, "{origin}");
    }
    assert_eq!(status(&[&own, "Origin: http://evil.example"]), 403);
    for site in ["cross-site", "same-site", "", "same-origin, cross-site"] {
        assert_eq!(status(&[&format!("Sec-Fetch-Site: {site}")]), 403, "{site}");
    }
    let page = format!("GET /?token={}", studio.token);
    assert_eq!(studio.raw(&page, &[&host, "Sec-Fetch-Site: cross-site"]).status, 403);
    assert_ne!(studio.raw(&page, &[&host, "Sec-Fetch-Site: none"]).status, 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(
            studio.raw(&format!("{method} /?token={}", studio.token), &[&host]).status,
            405,
            "{method}"
        );
    }
}

#[test]
fn without_the_token_nobody_gets_in() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let token = &studio.token;
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "128 bits");
    let last = if token.ends_with('0') { "1" } else { "0" };
    let first = if token.starts_with('0') { "1" } else { "0" };
    let wrong = [
        String::new(),
        "?".to_owned(),
        "?token=".to_owned(),
        format!("?token={}", &token[..31]),
        format!("?token={token}0"),
        format!("?token={}{last}", &token[..31]),
        format!("?token={first}{}", &token[1..]),
        format!("?token={}", "0".repeat(32)),
        format!("?token=&token={token}"),
        format!("?Token={token}"),
        format!("?{token}"),
    ];
    for query in &wrong {
        for path in ["/", "/socket"] {
            let answer = studio.get(&format!("{path}{query}"));
            assert_eq!(answer.status, 403, "{path}{query}");
            assert!(answer.body.contains("address that"), "it says what to do");
            assert!(!answer.body.contains(token.as_str()));
        }
    }
    assert_eq!(studio.get(&format!("/socket?token={token}")).status, 400, "let in, but no WebSocket");
    assert_ne!(studio.get(&format!("/?t=1.5&token={token}&paused=1")).status, 403);
}

/// The token stands in the address: no header may carry it elsewhere, no other page frame it, no cache keep it.
#[test]
fn the_page_is_kept_to_itself() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    for path in [format!("/?token={}", studio.token), "/".to_owned(), "/nowhere".to_owned()] {
        let answer = studio.get(&path);
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("access-control-allow-origin"), "");
        let policy = answer.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    }
}

/// The built page names its own files, and all of them are there, without a token.
#[test]
fn the_page_is_whole() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let page = studio.get(&format!("/?token={}", studio.token));
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let files: Vec<&str> =
        page.body.split("\"./").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(files.iter().any(|file| file.contains(".js")), "{}", page.body);
    for file in files {
        let answer = studio.get(&format!("/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert!(
            !answer.header("content-type").starts_with("application/octet-stream")
                && answer.header("cache-control").contains("immutable"),
            "{file}"
        );
    }
    assert!(!page.body.contains("<script>"), "the policy lets no script run that stands in the page itself");
}

#[test]
fn addresses_reach_no_files() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    for path in [
        "/../Cargo.toml",
        "/assets/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd",
        "//etc/passwd",
        "/..\\Cargo.toml",
        "/etc/passwd",
        "/token",
        "/index.html",
        "/assets/",
        "/./",
        "/%00",
    ] {
        let answer = studio.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        assert!(!answer.body.contains("[package]") && !answer.body.contains("root:"), "{path}");
        assert!(!answer.body.contains(&studio.token), "{path}");
    }
}

/// All files of a folder, with their contents.
fn snapshot(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshot(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Names that lead elsewhere, in every place where a name becomes a path. Around the studio's folder there is bait.
#[test]
fn names_reach_no_files() {
    let around = tempdir().unwrap();
    let folder = around.path().join("studio");
    for bait in ["secret.json", "secret.toml", "secret.xml", "secret"] {
        std::fs::write(around.path().join(bait), "\"secret\"").unwrap();
    }
    let studio = Studio::start(&folder);
    let mut page = studio.page();
    let (bundle, name) = page.keep(&[("ball.xml", CREATURE)]).unwrap();
    page.asks(json!({ "ask": "save", "tab": "a1", "work": 1 }));
    let before = snapshot(around.path());

    let absolute = around.path().join("secret.xml").display().to_string();
    let names = [
        "../x.xml",
        "../../x.xml",
        "a/../../../x.xml",
        "/x.xml",
        "..",
        ".",
        "",
        "a//b.xml",
        "..\\x.xml",
        "C:\\x.xml",
        "C:x.xml",
        "x.xml\0",
        "a\nb.xml",
        "./x.xml",
        "x.xml/",
        &absolute,
    ];
    for name in names {
        page.keep(&[(name, CREATURE)]).expect_err(name);
        page.keep(&[("ball.xml", CREATURE), (name, b"mesh")]).expect_err(name);
    }
    let reads = [
        "../../../secret.xml",
        "../../token",
        "../../work/a1.json",
        "a/../ball.xml",
        "",
        ".",
        &absolute,
        "/etc/passwd",
    ];
    for name in reads {
        page.asks_in_vain(json!({ "ask": "file", "bundle": bundle, "name": name }));
        let source = json!({ "from": "file", "bundle": bundle, "name": name });
        let said = page.asks_in_vain(json!({ "ask": "creature", "creature": { "source": source } }));
        assert!(!said.contains("secret\""), "{said}");
    }
    for bundle in [
        "..",
        ".",
        "",
        "../work",
        "/",
        "/etc",
        "../../..",
        &format!("{bundle}/"),
        &format!("../bundles/{bundle}"),
    ] {
        page.asks_in_vain(json!({ "ask": "file", "bundle": bundle, "name": "ball.xml" }));
        page.asks_in_vain(json!({ "ask": "file", "bundle": bundle, "name": "secret.xml" }));
    }
    for tab in
        ["../../secret", "../token", "..", "", "/etc/passwd", "a/b", "a.b", "a\\b", "a\0", &"a".repeat(65)]
    {
        page.asks_in_vain(json!({ "ask": "save", "tab": tab, "work": 2 }));
        page.asks_in_vain(json!({ "ask": "load", "tab": tab }));
    }
    for name in ["../../secret", "../token", "..", "", ".hidden", "/etc/passwd", "a/b", "a\\b", "a\0"] {
        page.asks_in_vain(json!({ "ask": "open-shared", "name": name }));
    }
    assert_eq!(snapshot(around.path()), before, "nothing was written");
    let (_, bytes) = page.ask(json!({ "ask": "file", "bundle": bundle, "name": name }), &[]);
    assert_eq!(bytes, CREATURE, "after all that the page still has its own");
}

#[test]
fn uploads_and_messages_have_a_limit() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let before = snapshot(folder.path());
    let mut page = studio.page();
    let files =
        json!([{ "name": "ball.xml", "size": CREATURE.len() }, { "name": "mesh.stl", "size": MOST_BYTES }]);
    let (head, _) = page.ask(json!({ "ask": "keep", "files": files }), CREATURE);
    let said = head["error"].as_str().unwrap();
    assert!(said.contains("512 MiB"), "{said}");
    let said = page.keep(&[("ball.xml", &CREATURE[..10]), ("mesh.stl", &[])]).map(|_| ());
    assert_eq!(said, Ok(()), "the connection goes on");
    // A frame of 1 GiB is refused by its length, before any of it comes: FIN and binary, masked, 64-bit length, mask.
    let mut frame = vec![0x82, 0xff];
    frame.extend((1_u64 << 30).to_be_bytes());
    frame.extend([1, 2, 3, 4]);
    page.send_raw(&frame);
    let (code, reason) = page.is_closed();
    assert_eq!(code, CloseCode::Size);
    assert!(reason.contains("larger"), "{reason}");
    assert_eq!(snapshot(folder.path()).len(), before.len() + 2, "only what was small enough is kept");
}

/// What is no message ends its own connection, with a reason, and no other.
#[test]
fn garbage_is_refused_with_a_reason() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let mut bystander = studio.page();
    let cases: [(tungstenite::Message, CloseCode); 5] = [
        (tungstenite::Message::text("{}"), CloseCode::Unsupported),
        (binary(b""), CloseCode::Invalid),
        (binary(b"\x01\0\0"), CloseCode::Invalid),
        (binary(b"\xff\xff\xff\xff{}"), CloseCode::Invalid),
        (binary(b"\x02\0\0\0\xff\xfe"), CloseCode::Invalid),
    ];
    for (frame, expected) in cases {
        let mut page = studio.page();
        page.send_frame(frame.clone());
        let (code, reason) = page.is_closed();
        assert_eq!(code, expected, "{frame:?}");
        assert!(!reason.is_empty(), "{frame:?}");
    }
    // An opcode that there is not; a frame that is not masked, as all frames of a browser are.
    for bytes in [&[0x8b, 0x80, 0, 0, 0, 0][..], &[0x82, 0x01, 0x00]] {
        let mut page = studio.page();
        page.send_raw(bytes);
        assert_eq!(page.is_closed().0, CloseCode::Protocol, "{bytes:?}");
    }
    // A message whose head is no request is answered: the page has a bug, and wants to tell of it.
    let mut page = studio.page();
    for head in ["", "x", "null", "{\"id\":7}", "{\"id\":7,\"ask\":\"fly\"}", "{\"id\":7,\"ask\":\"load\"}"] {
        let message = gambol_studio::protocol::Message { head: head.to_owned(), bytes: Vec::new() };
        page.send_frame(tungstenite::Message::Binary(message.to_bytes().into()));
        let (answer, _) = page.receive();
        assert!(answer["error"].is_string(), "{head}: {answer}");
    }
    assert_eq!(bystander.asks(json!({ "ask": "load", "tab": "a" })), json!({ "work": null }));
}

/// Two tabs ask in turns, each for its own.
#[test]
fn two_tabs_do_not_mix() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let mut pages = [studio.page(), studio.page()];
    for round in 0..20 {
        for (index, page) in pages.iter_mut().enumerate() {
            page.send(json!({ "ask": "save", "tab": format!("tab{index}"), "work": { "of": index, "round": round } }), &[]);
            page.send(json!({ "ask": "load", "tab": format!("tab{index}") }), &[]);
        }
        for (index, page) in pages.iter_mut().enumerate() {
            assert_eq!(page.receive().0["id"], 2 * round + 1, "in order");
            assert_eq!(page.receive().0["answer"]["work"], json!({ "of": index, "round": round }));
        }
    }
    let bundles = [0, 1].map(|index| {
        let name = format!("ball{index}.xml");
        pages[index].keep(&[(&name, CREATURE)]).unwrap().0
    });
    assert_ne!(bundles[0], bundles[1]);
    pages[0].asks_in_vain(json!({ "ask": "file", "bundle": bundles[0], "name": "ball1.xml" }));
}

/// A shelf that is told by the name of a tab to fail or to wait.
struct Stumbling {
    shelf: DiskShelf,
    go: std::sync::Arc<std::sync::Mutex<mpsc::Receiver<()>>>,
}

impl Shelf for Stumbling {
    fn keep(&mut self, files: &[(String, &[u8])]) -> Result<String, Trouble> {
        self.shelf.keep(files)
    }
    fn file(&self, bundle: &str, name: &str) -> Result<Vec<u8>, Trouble> {
        self.shelf.file(bundle, name)
    }
    fn files(&self, bundle: &str) -> Result<Box<dyn Files>, Trouble> {
        self.shelf.files(bundle)
    }
    fn save(&mut self, tab: &str, work: &Value) -> Result<(), Trouble> {
        self.shelf.save(tab, work)
    }
    fn load(&self, tab: &str) -> Result<Option<Value>, Trouble> {
        match tab {
            "stumble" => panic!("on purpose, in a test"),
            "wait" => self.go.lock().unwrap().recv().unwrap(),
            _ => {}
        }
        self.shelf.load(tab)
    }
    fn share(&mut self, name: &str, text: &str) -> Result<Shared, Trouble> {
        self.shelf.share(name, text)
    }
    fn shared(&self, name: &str) -> Result<String, Trouble> {
        self.shelf.shared(name)
    }
}

fn stumbling(folder: &Path) -> (Studio, mpsc::Sender<()>) {
    let shelf = DiskShelf::open(folder).unwrap();
    let (go, wait) = mpsc::channel();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let make = move || Box::new(Stumbling { shelf: shelf.clone(), go: wait.clone() }) as Box<dyn Shelf>;
    (Studio::with_shelves(folder, make), go)
}

#[test]
fn an_engine_that_stumbles_is_replaced() {
    let folder = tempdir().unwrap();
    let (studio, _go) = stumbling(folder.path());
    let mut page = studio.page();
    page.asks(json!({ "ask": "save", "tab": "a", "work": "mine" }));
    for _ in 0..2 {
        let said = page.asks_in_vain(json!({ "ask": "load", "tab": "stumble" }));
        assert!(said.contains("stumbled") && said.contains("your work is safe"), "{said}");
        assert_eq!(page.asks(json!({ "ask": "load", "tab": "a" })), json!({ "work": "mine" }));
    }
}

#[test]
fn a_long_answer_holds_up_no_other_tab() {
    let folder = tempdir().unwrap();
    let (studio, go) = stumbling(folder.path());
    let (mut slow, mut quick) = (studio.page(), studio.page());
    slow.send(json!({ "ask": "load", "tab": "wait" }), &[]);
    // More than wait for an engine: the page can go on sending.
    for _ in 0..20 {
        slow.send(json!({ "ask": "load", "tab": "a" }), &[]);
    }
    for _ in 0..5 {
        assert_eq!(quick.asks(json!({ "ask": "load", "tab": "b" })), json!({ "work": null }));
    }
    go.send(()).unwrap();
    for number in 1..=21 {
        assert_eq!(slow.receive().0["id"], number);
    }
}

#[test]
fn there_is_an_end_to_tabs() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let mut pages: Vec<_> = (0..32).map(|_| studio.page()).collect();
    for page in &mut pages {
        page.asks(json!({ "ask": "load", "tab": "a" }));
    }
    let (code, reason) = studio.page().is_closed();
    assert_eq!(code, CloseCode::Again);
    assert!(reason.contains("tabs"), "{reason}");
    // The place of one that is closed is free a moment later.
    drop(pages.pop());
    let begin = Instant::now();
    loop {
        let mut page = studio.page();
        let number = page.send(json!({ "ask": "load", "tab": "a" }), &[]);
        if let Ok(tungstenite::Message::Binary(_)) = page.socket.read().inspect_err(|error| panic!("{error}"))
        {
            assert_eq!(number, 1);
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Who begins a request and does not end it is not waited for.
#[test]
fn slow_requests_are_dropped() {
    let folder = tempdir().unwrap();
    let studio = Studio::start(folder.path());
    let mut streams = [connect(studio.address), connect(studio.address)];
    streams[1].write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let begin = Instant::now();
    for stream in &mut streams {
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said); // ended or reset
        assert!(!String::from_utf8_lossy(&said).contains("200"));
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "5 s is the limit; the rest is for a busy machine");
    assert_eq!(studio.get("/nowhere").status, 404);
}

/// A page stays open while its studio ends and comes again: it has the same token, and finds all that was made.
#[test]
fn all_is_there_after_a_restart() {
    let folder = tempdir().unwrap();
    let mut studio = Studio::start(folder.path());
    let token = studio.token.clone();
    let mut page = studio.page();
    let (bundle, name) = page.keep(&[("ball.xml", CREATURE), ("meshes/a.stl", b"solid")]).unwrap();
    page.asks(json!({ "ask": "save", "tab": "a", "work": { "past": [0.1, 1e300] } }));
    studio.stop();
    let (code, reason) = page.is_closed();
    assert_eq!(code, CloseCode::Away);
    assert!(reason.contains("ended"), "{reason}");

    let studio = Studio::start(folder.path());
    assert_eq!(studio.token, token);
    let mut page = studio.page();
    assert_eq!(page.asks(json!({ "ask": "load", "tab": "a" })), json!({ "work": { "past": [0.1, 1e300] } }));
    assert_eq!(page.ask(json!({ "ask": "file", "bundle": bundle, "name": name }), &[]).1, CREATURE);
    assert_eq!(page.ask(json!({ "ask": "file", "bundle": bundle, "name": "meshes/a.stl" }), &[]).1, b"solid");
    let source = json!({ "from": "file", "bundle": bundle, "name": name });
    let creature = page.asks(json!({ "ask": "creature", "creature": { "source": source } }));
    assert_eq!(creature["name"], "ball");
}
