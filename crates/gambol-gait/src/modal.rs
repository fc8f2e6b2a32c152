//! Equation 4 of Kry et al. 2009 on the manifold of poses.
