//! Bodies without legs: lying, rolling, slithering, swimming.
