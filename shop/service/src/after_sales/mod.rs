//! Which after-sales operation is legal now, and whether somebody else must agree.
