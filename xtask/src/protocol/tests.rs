//! The page's words must be the engine's: the file is compared with what the sources say now.

use super::*;

#[test]
fn the_page_has_the_words_of_the_engine() {
    let written = std::fs::read_to_string(root().join(PAGE)).unwrap();
    assert!(
        written == generate().unwrap(),
        "{PAGE} is not what the sources say; `cargo xtask protocol` writes it anew"
    );
}

/// A protocol with one request, whose answer is `source`.
fn page_of(source: &str) -> Result<String> {
    let mut sources = Sources::default();
    let request = "/// Asks. Answer: [`Told`].\n#[derive(Deserialize)]\n#[serde(tag = \"ask\", rename_all = \"kebab-case\")]\n\
                   pub enum Request {\n/// Asks. Answer: [`Told`].\nTellMe {\n/// Whose.\n#[serde(default)]\nname: Option<String> } }";
    sources.add(&format!("{ROOT}/request.rs"), request)?;
    sources.add("crates/other/src/lib.rs", &format!("use serde::Serialize;\n{source}"))?;
    sources.page()
}

#[test]
fn types_become_what_serde_writes() {
    let page = page_of(
        "/// What is told: see [`Deep`].
        #[derive(Clone, Serialize)]
        pub struct Told {
            /// m
            pub place: [f64; 3],
            pub deep: Vec<Option<Deep>>,
            #[serde(default, skip_serializing_if = \"Option::is_none\")]
            pub perhaps: Option<usize>,
            #[serde(flatten)]
            pub more: More,
        }
        #[derive(Serialize)]
        pub struct More { pub pairs: Vec<(String, f64)>, #[serde(default)] pub colour: [f32; 2] }
        #[derive(Serialize)]
        #[serde(rename_all = \"lowercase\", rename = \"Deep\")]
        pub enum Other { One, TwoWords }
        #[derive(Debug)]
        pub struct Deep;",
    )
    .unwrap();
    for wanted in [
        "  'tell-me': {\n    ask: {\n      /** Whose. */\n      name?: string | null\n    }\n    answer: Told\n  }\n",
        "/** What is told: see `Deep`. */\nexport interface Told extends More {\n  /** m */\n  place: Vec3\n  deep: (Deep | null)[]\n  perhaps?: number | null\n}\n",
        "export interface More {\n  pairs: [string, number][]\n  colour: [number, number]\n}\n",
        "export type Deep =\n  | 'one'\n  | 'twowords'\n",
    ] {
        assert!(page.contains(wanted), "{wanted}\nis not in\n{page}");
    }
}

/// A wrong word in the page would be found late; what is not known must not be guessed.
#[test]
fn what_is_not_known_is_an_error() {
    for (source, word) in [
        ("#[derive(Serialize)] pub struct Told { #[serde(with = \"x\")] pub a: f64 }", "not known"),
        (
            "#[derive(Serialize)] #[serde(rename_all = \"camelCase\")] pub struct Told { pub a_b: f64 }",
            "camelCase",
        ),
        ("#[derive(Serialize)] pub struct Told { pub a: Missing }", "Missing"),
        ("#[derive(Serialize)] pub struct Told(pub f64);", "no names"),
        ("#[derive(Serialize)] pub enum Told { One { a: f64 } }", "no tag"),
        ("#[derive(Serialize)] pub struct Told { pub a: HashSet<f64> }", "HashSet"),
        (
            "#[derive(Serialize)] pub struct Told {} mod x {} #[derive(Serialize)] pub enum Told { A }",
            "several",
        ),
    ] {
        let error = page_of(source).expect_err(source);
        assert!(error.contains(word), "{source}: {error}");
    }
}
