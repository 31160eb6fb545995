//! Experts on the seven primitives: start, one patch, confirm, verify; what comes next is read from `next_actions`.

