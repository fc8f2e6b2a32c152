//! What a plant is made of and what blows around it, as options.

use clap::Args;
use gambol_model::SettingError;
use gambol_plant::{AirSettings, Constants, WoodSettings};

/// Wood.
#[derive(Args)]
pub(super) struct WoodArguments {
    /// Young's modulus of the wood, Pa
    #[arg(long, value_name = "PA", help_heading = "Plants", allow_negative_numbers = true)]
    young: Option<f64>,

    /// Density of the wood, kg/m³
    #[arg(long, value_name = "KG/M3", help_heading = "Plants", allow_negative_numbers = true)]
    density: Option<f64>,

    /// Poisson's ratio of the wood
    #[arg(long, value_name = "NU", help_heading = "Plants", allow_negative_numbers = true)]
    poisson: Option<f64>,

    /// Mass of the leaves at each tip, kg
    #[arg(long, value_name = "KG", help_heading = "Plants", allow_negative_numbers = true)]
    leaf_mass: Option<f64>,

    /// Take I, J and G as Diener et al. 2009 print them
    #[arg(long, help_heading = "Plants")]
    printed_constants: bool,
}

impl WoodArguments {
    pub(super) fn is_given(&self) -> bool {
        let numbers = [self.young, self.density, self.poisson, self.leaf_mass];
        numbers.iter().any(Option::is_some) || self.printed_constants
    }

    pub(super) fn settings(&self) -> Result<WoodSettings, SettingError> {
        let usual = WoodSettings::default();
        let settings = WoodSettings {
            young: self.young.unwrap_or(usual.young),
            density: self.density.unwrap_or(usual.density),
            poisson: self.poisson.unwrap_or(usual.poisson),
            leaf_mass: self.leaf_mass.unwrap_or(usual.leaf_mass),
        };
        settings.check().map(|()| settings)
    }

    pub(super) fn constants(&self) -> Constants {
        if self.printed_constants { Constants::Printed } else { Constants::Disc }
    }
}

/// Air.
#[derive(Args)]
pub(super) struct AirArguments {
    /// Density of the air, kg/m³
    #[arg(long, value_name = "KG/M3", help_heading = "Plants", allow_negative_numbers = true)]
    air: Option<f64>,

    /// Drag coefficient of branches
    #[arg(long, value_name = "CD", help_heading = "Plants", allow_negative_numbers = true)]
    drag: Option<f64>,
}

impl AirArguments {
    pub(super) fn is_given(&self) -> bool {
        self.air.is_some() || self.drag.is_some()
    }

    pub(super) fn settings(&self) -> Result<AirSettings, SettingError> {
        let usual = AirSettings::default();
        let settings =
            AirSettings { density: self.air.unwrap_or(usual.density), drag: self.drag.unwrap_or(usual.drag) };
        settings.check().map(|()| settings)
    }
}
