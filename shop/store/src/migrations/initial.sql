-- Every table, with the constraints that hold whatever the code does.
-- One text for SQLite and PostgreSQL: TIMESTAMP, JSON and SERIAL are replaced by each one's own word.

-- A brand of this tenant.
CREATE TABLE brands (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);

-- One shop front: currency, region and policies.
CREATE TABLE stores (
    id TEXT NOT NULL PRIMARY KEY,
    brand_id TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    country TEXT NOT NULL,
    policy JSON NOT NULL,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (brand_id) REFERENCES brands (id)
);

-- Who may call, with the token that proves it.
CREATE TABLE principals (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    token TEXT NOT NULL UNIQUE,
    is_agent BOOLEAN NOT NULL,
    on_behalf_of TEXT,
    brand_id TEXT,
    store_id TEXT,
    customer_id TEXT,
    created_at TIMESTAMP NOT NULL
);

-- What is sold; its variants are what is bought.
CREATE TABLE products (
    id TEXT NOT NULL PRIMARY KEY,
    external_id TEXT UNIQUE,
    brand_id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    category TEXT NOT NULL,
    options JSON NOT NULL,
    status TEXT NOT NULL,
    store_ids JSON NOT NULL,
    return_policy TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (brand_id) REFERENCES brands (id)
);
CREATE INDEX ix_products_brand_id_status_id ON products (brand_id, status, id);
CREATE INDEX ix_products_category_id ON products (category, id);

-- An image or file of a product, by its URL.
CREATE TABLE product_media (
    id TEXT NOT NULL PRIMARY KEY,
    product_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    alt TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (product_id) REFERENCES products (id)
);
CREATE UNIQUE INDEX ux_product_media_product_id_position ON product_media (product_id, position);

-- A category that somebody made; those that products are in need no row.
CREATE TABLE categories (
    path TEXT NOT NULL PRIMARY KEY,
    created_at TIMESTAMP NOT NULL
);

-- A group of products of one brand: hand-picked, or by a rule.
CREATE TABLE collections (
    id TEXT NOT NULL PRIMARY KEY,
    brand_id TEXT NOT NULL,
    title TEXT NOT NULL,
    product_ids JSON NOT NULL,
    rule JSON,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (brand_id) REFERENCES brands (id)
);
CREATE INDEX ix_collections_brand_id_id ON collections (brand_id, id);

-- One purchasable form of a product.
CREATE TABLE variants (
    id TEXT NOT NULL PRIMARY KEY,
    external_id TEXT UNIQUE,
    product_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    sku TEXT NOT NULL UNIQUE,
    barcode TEXT,
    title TEXT NOT NULL,
    options JSON NOT NULL,
    price_minor BIGINT NOT NULL,
    compare_at_minor BIGINT,
    currency TEXT NOT NULL,
    other_prices JSON NOT NULL,
    weight_g BIGINT NOT NULL,
    tax_category TEXT NOT NULL,
    is_sellable BOOLEAN NOT NULL,
    is_tracked BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (product_id) REFERENCES products (id),
    CHECK (price_minor >= 0)
);
CREATE INDEX ix_variants_product_id_position ON variants (product_id, position);

-- A warehouse or shop that holds stock.
CREATE TABLE locations (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    name TEXT NOT NULL,
    country TEXT NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);

-- Units of one variant at one location.
CREATE TABLE inventory_levels (
    variant_id TEXT NOT NULL,
    location_id TEXT NOT NULL,
    on_hand BIGINT NOT NULL,
    reserved BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (variant_id, location_id),
    FOREIGN KEY (variant_id) REFERENCES variants (id),
    FOREIGN KEY (location_id) REFERENCES locations (id),
    CHECK (on_hand >= 0),
    CHECK (reserved >= 0),
    CHECK (reserved <= on_hand)
);

-- Every change of a count by hand, and why.
CREATE TABLE inventory_adjustments (
    id TEXT NOT NULL PRIMARY KEY,
    variant_id TEXT NOT NULL,
    location_id TEXT NOT NULL,
    delta BIGINT NOT NULL,
    on_hand BIGINT NOT NULL,
    reason TEXT NOT NULL,
    note TEXT,
    author_id TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (variant_id) REFERENCES variants (id),
    FOREIGN KEY (location_id) REFERENCES locations (id)
);
CREATE INDEX ix_inventory_adjustments_variant_id_id ON inventory_adjustments (variant_id, id);

-- Units on their way from one location to another.
CREATE TABLE inventory_transfers (
    id TEXT NOT NULL PRIMARY KEY,
    from_location_id TEXT NOT NULL,
    to_location_id TEXT NOT NULL,
    status TEXT NOT NULL,
    lines JSON NOT NULL,
    note TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (from_location_id) REFERENCES locations (id),
    FOREIGN KEY (to_location_id) REFERENCES locations (id)
);

-- Units held for a cart, an action or an order.
CREATE TABLE reservations (
    id TEXT NOT NULL PRIMARY KEY,
    variant_id TEXT NOT NULL,
    location_id TEXT NOT NULL,
    quantity BIGINT NOT NULL,
    holder TEXT NOT NULL,
    status TEXT NOT NULL,
    expires_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (variant_id) REFERENCES variants (id),
    CHECK (quantity > 0)
);
CREATE INDEX ix_reservations_holder ON reservations (holder);
CREATE INDEX ix_reservations_status_expires_at ON reservations (status, expires_at);

-- Coupon uses, gift-card money and store credit held for an action or an order; the counters on their rows already include them.
CREATE TABLE holds (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    amount BIGINT NOT NULL,
    holder TEXT NOT NULL,
    status TEXT NOT NULL,
    expires_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    CHECK (amount > 0)
);
CREATE INDEX ix_holds_holder ON holds (holder);
CREATE INDEX ix_holds_status_expires_at ON holds (status, expires_at);

-- Prices of a store for a group of customers or for a time.
CREATE TABLE price_lists (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    name TEXT NOT NULL,
    customer_tag TEXT,
    starts_at TIMESTAMP,
    ends_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);
CREATE INDEX ix_price_lists_store_id_id ON price_lists (store_id, id);

-- One price of a list, in minor units of its store's currency.
CREATE TABLE price_list_entries (
    price_list_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    price_minor BIGINT NOT NULL,
    PRIMARY KEY (price_list_id, variant_id),
    FOREIGN KEY (price_list_id) REFERENCES price_lists (id),
    FOREIGN KEY (variant_id) REFERENCES variants (id),
    CHECK (price_minor >= 0)
);
CREATE INDEX ix_price_list_entries_variant_id ON price_list_entries (variant_id);

-- A rule that lowers a price.
CREATE TABLE promotions (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    value BIGINT NOT NULL,
    min_subtotal_minor BIGINT NOT NULL,
    buy_quantity BIGINT NOT NULL,
    get_quantity BIGINT NOT NULL,
    is_automatic BOOLEAN NOT NULL,
    collection_id TEXT,
    usage_limit BIGINT,
    used BIGINT NOT NULL,
    budget_minor BIGINT,
    spent_minor BIGINT NOT NULL,
    status TEXT NOT NULL,
    starts_at TIMESTAMP,
    ends_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (collection_id) REFERENCES collections (id),
    CHECK (used >= 0),
    CHECK (usage_limit IS NULL OR used <= usage_limit),
    CHECK (spent_minor >= 0),
    CHECK (budget_minor IS NULL OR spent_minor <= budget_minor)
);

-- A code that switches a promotion on.
CREATE TABLE coupons (
    id TEXT NOT NULL PRIMARY KEY,
    promotion_id TEXT NOT NULL,
    code TEXT NOT NULL UNIQUE,
    customer_id TEXT,
    usage_limit BIGINT,
    used BIGINT NOT NULL,
    expires_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (promotion_id) REFERENCES promotions (id),
    CHECK (used >= 0),
    CHECK (usage_limit IS NULL OR used <= usage_limit)
);

-- A person who buys.
CREATE TABLE customers (
    id TEXT NOT NULL PRIMARY KEY,
    external_id TEXT UNIQUE,
    brand_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    email TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    phone TEXT,
    status TEXT NOT NULL,
    tags JSON NOT NULL,
    accepts_marketing BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);
CREATE INDEX ix_customers_email ON customers (email);
CREATE INDEX ix_customers_last_name_first_name ON customers (last_name, first_name);
CREATE INDEX ix_customers_created_at_id ON customers (created_at, id);

-- A customer's certificate that no tax is due; orders that were placed keep their tax.
CREATE TABLE tax_exemptions (
    customer_id TEXT NOT NULL PRIMARY KEY,
    certificate TEXT NOT NULL,
    country TEXT NOT NULL,
    region TEXT,
    valid_until TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);

-- A saved address; changing one changes no order.
CREATE TABLE addresses (
    id TEXT NOT NULL PRIMARY KEY,
    customer_id TEXT NOT NULL,
    label TEXT NOT NULL,
    address JSON NOT NULL,
    is_default BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE INDEX ix_addresses_customer_id_id ON addresses (customer_id, id);

-- A saved instrument, masked; only the gateway's token is kept.
CREATE TABLE payment_methods (
    id TEXT NOT NULL PRIMARY KEY,
    external_id TEXT UNIQUE,
    customer_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    token TEXT,
    gift_card_id TEXT,
    brand TEXT,
    last4 TEXT,
    label TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    detached_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE INDEX ix_payment_methods_customer_id_id ON payment_methods (customer_id, id);

-- Store credit of one customer in one currency.
CREATE TABLE credit_accounts (
    customer_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    balance_minor BIGINT NOT NULL,
    held_minor BIGINT NOT NULL,
    PRIMARY KEY (customer_id, currency),
    FOREIGN KEY (customer_id) REFERENCES customers (id),
    CHECK (balance_minor >= 0),
    CHECK (held_minor >= 0),
    CHECK (held_minor <= balance_minor)
);

-- Every change of a store-credit balance.
CREATE TABLE credit_entries (
    id TEXT NOT NULL PRIMARY KEY,
    customer_id TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    currency TEXT NOT NULL,
    source TEXT NOT NULL,
    reason TEXT NOT NULL,
    order_id TEXT,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE INDEX ix_credit_entries_customer_id_id ON credit_entries (customer_id, id);

-- Money on a card with a code.
CREATE TABLE gift_cards (
    id TEXT NOT NULL PRIMARY KEY,
    external_id TEXT UNIQUE,
    code TEXT NOT NULL UNIQUE,
    last4 TEXT NOT NULL,
    customer_id TEXT,
    store_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    initial_minor BIGINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    held_minor BIGINT NOT NULL,
    status TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    CHECK (balance_minor >= 0),
    CHECK (held_minor >= 0),
    CHECK (held_minor <= balance_minor)
);
CREATE INDEX ix_gift_cards_customer_id ON gift_cards (customer_id);
CREATE INDEX ix_gift_cards_last4 ON gift_cards (last4);

-- Every change of a gift card's balance.
CREATE TABLE gift_card_entries (
    id TEXT NOT NULL PRIMARY KEY,
    gift_card_id TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    reason TEXT NOT NULL,
    order_id TEXT,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (gift_card_id) REFERENCES gift_cards (id)
);
CREATE INDEX ix_gift_card_entries_gift_card_id_id ON gift_card_entries (gift_card_id, id);

-- What somebody means to buy.
CREATE TABLE carts (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    customer_id TEXT,
    status TEXT NOT NULL,
    currency TEXT NOT NULL,
    address_id TEXT,
    shipping_address JSON,
    shipping_method_id TEXT,
    coupon_id TEXT,
    gift_card_id TEXT,
    store_credit_minor BIGINT NOT NULL,
    order_id TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);
CREATE INDEX ix_carts_customer_id_status ON carts (customer_id, status);

-- One variant in a cart.
CREATE TABLE cart_lines (
    id TEXT NOT NULL PRIMARY KEY,
    cart_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    quantity BIGINT NOT NULL,
    position BIGINT NOT NULL,
    FOREIGN KEY (cart_id) REFERENCES carts (id),
    FOREIGN KEY (variant_id) REFERENCES variants (id),
    CHECK (quantity > 0)
);
CREATE UNIQUE INDEX ux_cart_lines_cart_id_variant_id ON cart_lines (cart_id, variant_id);

-- One purchase, with its three statuses kept apart.
CREATE TABLE orders (
    id TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    external_id TEXT UNIQUE,
    store_id TEXT NOT NULL,
    brand_id TEXT NOT NULL,
    customer_id TEXT,
    cart_id TEXT,
    status TEXT NOT NULL,
    payment_status TEXT NOT NULL,
    fulfillment_status TEXT NOT NULL,
    currency TEXT NOT NULL,
    subtotal_minor BIGINT NOT NULL,
    discount_minor BIGINT NOT NULL,
    shipping_minor BIGINT NOT NULL,
    shipping_tax_minor BIGINT NOT NULL,
    tax_minor BIGINT NOT NULL,
    total_minor BIGINT NOT NULL,
    shipping_refunded_minor BIGINT NOT NULL,
    adjusted_minor BIGINT NOT NULL,
    coupon_id TEXT,
    shipping_address JSON NOT NULL,
    shipping_method_id TEXT,
    shipped_method_id TEXT,
    contact_email TEXT NOT NULL,
    contact_phone TEXT,
    is_tax_exempt BOOLEAN NOT NULL,
    is_edited BOOLEAN NOT NULL,
    cancel_reason TEXT,
    placed_at TIMESTAMP NOT NULL,
    cancelled_at TIMESTAMP,
    delivered_at TIMESTAMP,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);
CREATE INDEX ix_orders_customer_id_placed_at_id ON orders (customer_id, placed_at, id);
CREATE INDEX ix_orders_store_id_placed_at_id ON orders (store_id, placed_at, id);
CREATE INDEX ix_orders_placed_at_id ON orders (placed_at, id);
CREATE INDEX ix_orders_status_placed_at_id ON orders (status, placed_at, id);

-- One line of an order with the units' whereabouts.
CREATE TABLE order_lines (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    variant_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    title TEXT NOT NULL,
    sku TEXT NOT NULL,
    options JSON NOT NULL,
    quantity BIGINT NOT NULL,
    unit_price_minor BIGINT NOT NULL,
    discount_minor BIGINT NOT NULL,
    tax_minor BIGINT NOT NULL,
    total_minor BIGINT NOT NULL,
    allocated_quantity BIGINT NOT NULL,
    shipped_quantity BIGINT NOT NULL,
    delivered_quantity BIGINT NOT NULL,
    cancelled_quantity BIGINT NOT NULL,
    return_quantity BIGINT NOT NULL,
    received_quantity BIGINT NOT NULL,
    refunded_quantity BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id),
    CHECK (quantity > 0),
    CHECK (cancelled_quantity + shipped_quantity <= quantity),
    CHECK (refunded_quantity <= quantity)
);
CREATE UNIQUE INDEX ux_order_lines_order_id_position ON order_lines (order_id, position);

-- What a promotion took off an order; the promotion's counters include it until the order is cancelled.
CREATE TABLE order_promotions (
    order_id TEXT NOT NULL,
    promotion_id TEXT NOT NULL,
    coupon_id TEXT,
    discount_minor BIGINT NOT NULL,
    PRIMARY KEY (order_id, promotion_id),
    FOREIGN KEY (order_id) REFERENCES orders (id),
    FOREIGN KEY (promotion_id) REFERENCES promotions (id),
    CHECK (discount_minor >= 0)
);
CREATE INDEX ix_order_promotions_promotion_id ON order_promotions (promotion_id);

-- What staff wrote down about an order; the customer never sees it.
CREATE TABLE order_notes (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id)
);
CREATE INDEX ix_order_notes_order_id_id ON order_notes (order_id, id);

-- Money asked for one order on one instrument.
CREATE TABLE payments (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    instrument TEXT NOT NULL,
    payment_method_id TEXT,
    gift_card_id TEXT,
    token TEXT,
    replaces_payment_id TEXT,
    amount_minor BIGINT NOT NULL,
    authorized_minor BIGINT NOT NULL,
    captured_minor BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL,
    charge_id TEXT,
    decline_code TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id),
    CHECK (captured_minor <= authorized_minor),
    CHECK (refunded_minor <= captured_minor)
);
CREATE INDEX ix_payments_order_id_id ON payments (order_id, id);
CREATE INDEX ix_payments_status_created_at_id ON payments (status, created_at, id);

-- One call to the gateway: committed before it is made, settled once.
CREATE TABLE attempts (
    id TEXT NOT NULL PRIMARY KEY,
    payment_id TEXT,
    refund_id TEXT,
    order_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    gateway_key TEXT NOT NULL UNIQUE,
    amount_minor BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    gateway_ref TEXT,
    detail TEXT,
    caller_scope TEXT,
    caller_key TEXT,
    action_id TEXT,
    lookups BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    settled_at TIMESTAMP
);
CREATE INDEX ix_attempts_payment_id_id ON attempts (payment_id, id);
CREATE INDEX ix_attempts_refund_id_id ON attempts (refund_id, id);
CREATE UNIQUE INDEX ux_attempts_payment_open ON attempts (payment_id) WHERE refund_id IS NULL AND outcome IN ('pending', 'unknown');
CREATE UNIQUE INDEX ux_attempts_refund_open ON attempts (refund_id) WHERE outcome IN ('pending', 'unknown');
CREATE INDEX ix_attempts_outcome_created_at ON attempts (outcome, created_at);

-- Money owed back, whatever became of it.
CREATE TABLE refunds (
    id TEXT NOT NULL PRIMARY KEY,
    batch_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    payment_id TEXT,
    return_id TEXT,
    kind TEXT NOT NULL,
    destination TEXT NOT NULL,
    gift_card_id TEXT,
    amount_minor BIGINT NOT NULL,
    currency TEXT NOT NULL,
    lines JSON NOT NULL,
    shipping_minor BIGINT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL,
    gateway_ref TEXT,
    approval_id TEXT,
    requested_by TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id),
    CHECK (amount_minor > 0)
);
CREATE INDEX ix_refunds_order_id_id ON refunds (order_id, id);
CREATE INDEX ix_refunds_batch_id ON refunds (batch_id);
CREATE INDEX ix_refunds_status_created_at_id ON refunds (status, created_at, id);

-- Double entry: the entries of one transaction sum to zero.
CREATE TABLE ledger_entries (
    id SERIAL,
    transaction_id TEXT NOT NULL,
    account TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency TEXT NOT NULL,
    order_id TEXT,
    payment_id TEXT,
    refund_id TEXT,
    memo TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL
);
CREATE INDEX ix_ledger_entries_account_currency ON ledger_entries (account, currency);
CREATE INDEX ix_ledger_entries_order_id ON ledger_entries (order_id);
CREATE INDEX ix_ledger_entries_payment_id ON ledger_entries (payment_id);

-- Where a store delivers.
CREATE TABLE shipping_zones (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    name TEXT NOT NULL,
    countries JSON NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);

-- How a store delivers there, and for how much.
CREATE TABLE shipping_methods (
    id TEXT NOT NULL PRIMARY KEY,
    zone_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    name TEXT NOT NULL,
    carrier TEXT NOT NULL,
    price_minor BIGINT NOT NULL,
    free_over_minor BIGINT,
    per_kg_minor BIGINT NOT NULL,
    max_weight_g BIGINT NOT NULL,
    days_min BIGINT NOT NULL,
    days_max BIGINT NOT NULL,
    position BIGINT NOT NULL,
    is_active BOOLEAN NOT NULL,
    FOREIGN KEY (zone_id) REFERENCES shipping_zones (id)
);
CREATE INDEX ix_shipping_methods_store_id_position ON shipping_methods (store_id, position);

-- Tax by region and category.
CREATE TABLE tax_rates (
    id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL,
    country TEXT NOT NULL,
    region TEXT,
    category TEXT NOT NULL,
    rate_bps BIGINT NOT NULL,
    starts_at TIMESTAMP NOT NULL,
    FOREIGN KEY (store_id) REFERENCES stores (id)
);

-- One parcel of an order, an exchange or a replacement.
CREATE TABLE fulfillments (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    exchange_id TEXT,
    location_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    status TEXT NOT NULL,
    lines JSON NOT NULL,
    carrier TEXT,
    tracking_number TEXT UNIQUE,
    label_minor BIGINT,
    destination JSON NOT NULL,
    exception_kind TEXT,
    exception_note TEXT,
    shipped_at TIMESTAMP,
    delivered_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id)
);
CREATE INDEX ix_fulfillments_order_id_id ON fulfillments (order_id, id);
CREATE INDEX ix_fulfillments_status_id ON fulfillments (status, id);

-- What the carrier saw.
CREATE TABLE scans (
    id SERIAL,
    fulfillment_id TEXT NOT NULL,
    code TEXT NOT NULL,
    place TEXT NOT NULL,
    detail TEXT NOT NULL,
    at TIMESTAMP NOT NULL,
    FOREIGN KEY (fulfillment_id) REFERENCES fulfillments (id)
);
CREATE INDEX ix_scans_fulfillment_id_id ON scans (fulfillment_id, id);

-- Goods on their way back.
CREATE TABLE returns (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    customer_id TEXT,
    exchange_id TEXT,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    note TEXT,
    lines JSON NOT NULL,
    refund_to TEXT NOT NULL,
    refund_method_id TEXT,
    deadline_at TIMESTAMP,
    label_tracking TEXT,
    label_minor BIGINT,
    reject_reason TEXT,
    approval_id TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id)
);
CREATE INDEX ix_returns_order_id_id ON returns (order_id, id);
CREATE INDEX ix_returns_customer_id_id ON returns (customer_id, id);
CREATE INDEX ix_returns_status_id ON returns (status, id);

-- Goods swapped for other variants.
CREATE TABLE exchanges (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL,
    return_id TEXT,
    fulfillment_id TEXT,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    lines JSON NOT NULL,
    difference_minor BIGINT NOT NULL,
    currency TEXT NOT NULL,
    settle_method_id TEXT,
    settle_gift_card_id TEXT,
    approval_id TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id)
);
CREATE INDEX ix_exchanges_order_id_id ON exchanges (order_id, id);

-- A second person's sign-off on one exact operation.
CREATE TABLE approvals (
    id TEXT NOT NULL PRIMARY KEY,
    operation TEXT NOT NULL,
    digest TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_version BIGINT,
    store_id TEXT,
    brand_id TEXT,
    customer_id TEXT,
    input JSON NOT NULL,
    amount_minor BIGINT,
    currency TEXT,
    reason TEXT NOT NULL,
    requester_id TEXT NOT NULL,
    requester_name TEXT NOT NULL,
    status TEXT NOT NULL,
    decided_by TEXT,
    decided_at TIMESTAMP,
    decision_note TEXT,
    action_id TEXT,
    expires_at TIMESTAMP NOT NULL,
    created_at TIMESTAMP NOT NULL,
    version BIGINT NOT NULL
);
CREATE INDEX ix_approvals_status_id ON approvals (status, id);
CREATE INDEX ix_approvals_digest ON approvals (digest);

-- What happened, in order.
CREATE TABLE events (
    seq SERIAL,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    order_id TEXT,
    data JSON NOT NULL,
    at TIMESTAMP NOT NULL
);
CREATE INDEX ix_events_order_id_seq ON events (order_id, seq);
CREATE INDEX ix_events_kind_seq ON events (kind, seq);

-- Who did what, on whose behalf, and which layer decided.
CREATE TABLE audit_log (
    seq SERIAL,
    id TEXT NOT NULL UNIQUE,
    principal_id TEXT NOT NULL,
    principal_name TEXT NOT NULL,
    on_behalf_of TEXT,
    operation TEXT NOT NULL,
    subject TEXT,
    outcome TEXT NOT NULL,
    layer TEXT NOT NULL,
    reason TEXT,
    approval_id TEXT,
    door TEXT NOT NULL,
    at TIMESTAMP NOT NULL
);
CREATE INDEX ix_audit_log_principal_id_seq ON audit_log (principal_id, seq);
CREATE INDEX ix_audit_log_operation_seq ON audit_log (operation, seq);

-- A caller's key and the answer it earned.
CREATE TABLE idempotency_keys (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    answer JSON,
    created_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    PRIMARY KEY (scope, key)
);

-- One stateful business action.
CREATE TABLE actions (
    id TEXT NOT NULL PRIMARY KEY,
    capability TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    store_id TEXT,
    customer_id TEXT,
    entity TEXT,
    node TEXT NOT NULL,
    status TEXT NOT NULL,
    version BIGINT NOT NULL,
    body JSON NOT NULL,
    due_at TIMESTAMP,
    lease_until_ms BIGINT NOT NULL,
    lease_owner TEXT,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL
);
CREATE INDEX ix_actions_due_at_id ON actions (due_at, id);
CREATE INDEX ix_actions_principal_id_id ON actions (principal_id, id);

-- What an action did, step by step.
CREATE TABLE action_journal (
    action_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    entry JSON NOT NULL,
    at TIMESTAMP NOT NULL,
    PRIMARY KEY (action_id, seq),
    FOREIGN KEY (action_id) REFERENCES actions (id)
);

-- A person's yes or no to one exact summary.
CREATE TABLE consents (
    id TEXT NOT NULL PRIMARY KEY,
    action_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    status TEXT NOT NULL,
    summary JSON NOT NULL,
    nonce TEXT NOT NULL,
    decided_by TEXT,
    decided_at TIMESTAMP,
    expires_at TIMESTAMP NOT NULL,
    created_at TIMESTAMP NOT NULL,
    FOREIGN KEY (action_id) REFERENCES actions (id)
);
CREATE INDEX ix_consents_action_id_id ON consents (action_id, id);

-- Work that waits for its time.
CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    due_at TIMESTAMP NOT NULL,
    tries BIGINT NOT NULL,
    lease_until_ms BIGINT NOT NULL,
    lease_owner TEXT,
    created_at TIMESTAMP NOT NULL
);
CREATE UNIQUE INDEX ux_jobs_kind_subject ON jobs (kind, subject);
CREATE INDEX ix_jobs_due_at_id ON jobs (due_at, id);

-- Numbers that only grow.
CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);

-- What this world is: seed, boot, rules, clock.
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
