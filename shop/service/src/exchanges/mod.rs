//! Goods swapped for other variants, and free replacements.
