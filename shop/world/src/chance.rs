//! Seeded chance: the same seed and the same labels always give the same stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

/// A stream of chance named by its seed and labels.
#[must_use]
pub fn stream(seed: u64, labels: &[&str]) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(digest(seed, labels))
}

/// A number that depends on nothing but the seed and the labels.
#[must_use]
pub fn number(seed: u64, labels: &[&str]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = digest(seed, labels);
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

fn digest(seed: u64, labels: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    for label in labels {
        // The length keeps ["ab", "c"] and ["a", "bc"] apart.
        hash.update(u64::try_from(label.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(label.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_kept_apart() {
        assert_eq!(number(1, &["ab", "c"]), number(1, &["ab", "c"]));
        assert_ne!(number(1, &["ab", "c"]), number(1, &["a", "bc"]));
        assert_ne!(number(1, &["ab", "c"]), number(2, &["ab", "c"]));
    }
}
