//! Parcels and what the carrier saw of them.
