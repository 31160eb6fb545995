//! Every limit of the shop, in one place: a list, string, body, retry or wait without a limit is a defect.

/// Items on one page of a list when the caller does not say.
pub const PAGE_DEFAULT: u32 = 20;
/// Items on one page of a list at most.
pub const PAGE_MAX: u32 = 100;
/// Characters of a list cursor.
pub const CURSOR_CHARS_MAX: usize = 512;

/// Bytes of a request body.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// Characters of an idempotency key.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;
/// Hours that a caller's idempotency key is remembered, on the world's clock.
pub const IDEMPOTENCY_KEY_HOURS: i64 = 24;

/// Lines of a cart, order, edit, return or exchange.
pub const LINES_MAX: usize = 100;
/// Units on one line.
pub const QUANTITY_MAX: u32 = 999;
/// Units of one variant at one location.
pub const STOCK_MAX: i64 = 10_000_000;
/// The largest price of one unit, in minor units: a million of most currencies.
pub const UNIT_PRICE_MINOR_MAX: i64 = 100_000_000;
/// Discounts on one cart.
pub const DISCOUNTS_MAX: usize = 10;
/// Payments on one order.
pub const PAYMENTS_PER_ORDER_MAX: usize = 20;
/// Ids named in one request, such as the products of a collection.
pub const IDS_MAX: usize = 200;
/// Coupon codes made in one request.
pub const COUPONS_PER_REQUEST_MAX: u32 = 500;
/// Tags on one customer or product.
pub const TAGS_MAX: usize = 20;
/// Images or files on one product.
pub const MEDIA_MAX: u64 = 20;
/// Options of one product.
pub const OPTIONS_MAX: usize = 5;
/// Values of one option.
pub const OPTION_VALUES_MAX: usize = 50;
/// Grams that one unit weighs at most: ten tonnes.
pub const WEIGHT_G_MAX: i64 = 10_000_000;
/// Variants of one product.
pub const VARIANTS_MAX: usize = 250;

/// Roles that a tenant makes for itself.
pub const ROLES_MAX: u64 = 100;
/// Roles given to one member of staff.
pub const GRANTS_PER_STAFF_MAX: u64 = 20;

/// Characters of a name, title or city.
pub const NAME_CHARS_MAX: usize = 120;
/// Characters of one address line.
pub const ADDRESS_LINE_CHARS_MAX: usize = 120;
/// Characters of a postal code.
pub const POSTAL_CODE_CHARS_MAX: usize = 16;
/// Characters of an email address.
pub const EMAIL_CHARS_MAX: usize = 254;
/// Characters of a phone number.
pub const PHONE_CHARS_MAX: usize = 32;
/// Characters of a code, SKU, tag or tracking number.
pub const CODE_CHARS_MAX: usize = 64;
/// Characters of a reason or a note.
pub const REASON_CHARS_MAX: usize = 500;
/// Characters of a description, message or review.
pub const TEXT_CHARS_MAX: usize = 4_000;
/// Messages of one support ticket.
pub const TICKET_MESSAGES_MAX: u64 = 200;
/// Characters of a URL.
pub const URL_CHARS_MAX: usize = 2_000;
/// Days that one report looks back when nobody says.
pub const REPORT_DAYS_DEFAULT: i64 = 30;
/// Days that one report covers at most.
pub const REPORT_DAYS_MAX: i64 = 731;
/// Rows of one report.
pub const REPORT_ROWS_MAX: usize = 2_000;
/// Free units from which stock counts as low, unless the caller says otherwise.
pub const LOW_STOCK_UNITS: i64 = 5;
/// Characters of a search query.
pub const QUERY_CHARS_MAX: usize = 200;

/// Days that an approved return has to arrive, unless who approves says otherwise.
pub const RETURN_DEADLINE_DAYS: i64 = 14;
/// Days that anybody may give a return to arrive.
pub const RETURN_DEADLINE_DAYS_MAX: i64 = 90;

/// Calls to the gateway for one attempt before its outcome counts as not sent or unknown.
pub const GATEWAY_TRIES_MAX: u32 = 3;
/// Longest pause between two such calls, in milliseconds.
pub const GATEWAY_BACKOFF_MS_MAX: u64 = 2_000;
/// Look-ups of one unknown attempt before a person must look at it.
pub const LOOKUPS_MAX: u32 = 20;
/// Deliveries of one webhook before it is given up.
pub const WEBHOOK_TRIES_MAX: u32 = 8;
/// Webhook endpoints of one store, one brand, or the tenant.
pub const WEBHOOK_ENDPOINTS_MAX: u64 = 20;
/// Event types that one endpoint names.
pub const SUBSCRIPTIONS_MAX: usize = 50;
/// How long an endpoint may take to answer, in milliseconds of real time.
pub const WEBHOOK_TIMEOUT_MS: u64 = 3_000;
/// Deliveries to one endpoint before others have their turn.
pub const WEBHOOKS_IN_ROW_MAX: usize = 50;
/// Endpoints that are written to at the same time.
pub const WEBHOOKS_AT_ONCE: usize = 8;
/// Tries of one background job before it is given up.
pub const JOB_TRIES_MAX: u32 = 10;
/// Tries of one transaction that met a busy database.
pub const TRANSACTION_TRIES_MAX: u32 = 5;

/// Balance checks of gift-card codes per principal and hour, against guessing.
pub const GIFT_CARD_CHECKS_PER_HOUR: u32 = 20;

/// What a caller is asked to wait before the same call again, in milliseconds.
pub const RETRY_AFTER_MS: u64 = 1_000;

/// Jobs one drain runs at most before it looks around.
pub const JOBS_PER_DRAIN_MAX: usize = 10_000;

/// How long a job or an action stays leased to the one that works on it, in milliseconds of real time.
pub const LEASE_MS: i64 = 60_000;
