//! Figure 3 of Kry et al. 2009, row by row.
