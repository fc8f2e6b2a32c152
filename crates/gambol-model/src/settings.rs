//! Settings of algorithms: every tuned number with its unit, its reason, a default and a range that is checked.
//!
//! [`settings!`](crate::settings!) makes the struct, its `Default` and its `check` of one list, so that the three cannot
//! drift apart and a default stands beside the reason for it.

/// A number of some settings that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{setting}: {value} is not {wanted}")]
pub struct SettingError {
    /// The settings and the number in them, e.g. `PinSettings.margin`.
    pub setting: String,
    /// What it was set to.
    pub value: f64,
    /// What it has to be, in words.
    pub wanted: &'static str,
}

/// What a number of some settings has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingRange {
    /// Any finite number.
    Finite,
    /// Above 0.
    Positive,
    /// 0 or above.
    AtLeastZero,
    /// Above 0 and at most 1.
    Share,
    /// 1 or above.
    AtLeastOne,
}

impl SettingRange {
    fn words(self) -> &'static str {
        match self {
            Self::Finite => "a finite number",
            Self::Positive => "a finite number above 0",
            Self::AtLeastZero => "a finite number of at least 0",
            Self::Share => "a number above 0 and at most 1",
            Self::AtLeastOne => "a finite number of at least 1",
        }
    }

    fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Finite => true,
                Self::Positive => value > 0.0,
                Self::AtLeastZero => value >= 0.0,
                Self::Share => value > 0.0 && value <= 1.0,
                Self::AtLeastOne => value >= 1.0,
            }
    }
}

/// What can be a setting: one number, or several of one meaning.
pub trait Setting {
    /// Its numbers.
    fn numbers(&self) -> Vec<f64>;

    /// Refuses the first number that is out of range; `setting` is what it is called.
    fn check(&self, setting: &str, range: SettingRange) -> Result<(), SettingError> {
        match self.numbers().into_iter().find(|value| !range.holds(*value)) {
            Some(value) => Err(SettingError { setting: setting.to_owned(), value, wanted: range.words() }),
            None => Ok(()),
        }
    }
}

impl Setting for f64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl Setting for usize {
    fn numbers(&self) -> Vec<f64> {
        vec![*self as f64]
    }
}

impl<const N: usize> Setting for [f64; N] {
    fn numbers(&self) -> Vec<f64> {
        self.to_vec()
    }
}

/// Makes a struct of settings of a list of `field: type = default, range;`, each with its documentation: unit, reason and
/// where the number comes from. `range` is a variant of [`SettingRange`](crate::SettingRange).
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$reason:meta])* $field:ident: $kind:ty = $default:expr, $range:ident;)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $(
                $(#[$reason])*
                #[doc = concat!("\n\nDefault ", stringify!($default), ".")]
                pub $field: $kind,
            )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $name {
            /// Refuses the first number that makes no sense.
            pub fn check(&self) -> ::std::result::Result<(), $crate::SettingError> {
                $(
                    $crate::Setting::check(
                        &self.$field,
                        concat!(stringify!($name), ".", stringify!($field)),
                        $crate::SettingRange::$range,
                    )?;
                )+
                Ok(())
            }
        }
    };
}

#[cfg(test)]
#[allow(unreachable_pub)] // the macro makes public structs
mod tests {
    crate::settings! {
        /// Of a test.
        pub struct TestSettings {
            /// m
            length: f64 = 2.0, Positive;
            /// Of the whole.
            shares: [f64; 2] = [0.5, 1.0], Share;
            /// Rounds.
            rounds: usize = 3, AtLeastOne;
        }
    }

    #[test]
    fn defaults_are_in_range_and_others_are_told() {
        let own = TestSettings::default();
        assert_eq!((own.length, own.shares, own.rounds), (2.0, [0.5, 1.0], 3));
        assert_eq!(own.check(), Ok(()));
        let told = |settings: TestSettings| settings.check().unwrap_err().to_string();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = told(TestSettings { length: bad, ..own.clone() });
            assert_eq!(message, format!("TestSettings.length: {bad} is not a finite number above 0"));
        }
        let message = told(TestSettings { shares: [1.0, 1.5], ..own.clone() });
        assert_eq!(message, "TestSettings.shares: 1.5 is not a number above 0 and at most 1");
        let message = told(TestSettings { rounds: 0, ..own });
        assert_eq!(message, "TestSettings.rounds: 0 is not a finite number of at least 1");
    }
}
