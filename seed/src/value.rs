//! Store credit and gift cards: balances, holds and their entries.

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use shop_domain::ids::{CreditEntryId, CustomerId, GiftCardId, OrderId, StoreId};
use shop_domain::ledger;
use shop_domain::money::Currency;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::{credit_accounts, credit_entries, gift_card_entries, gift_cards};

use crate::books::Refs;
use crate::ground::Ground;

/// Whose value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purse {
    Credit(CustomerId, Currency),
    Card(GiftCardId),
}

/// A gift card to be issued.
pub(crate) struct NewCard {
    pub(crate) external_id: Option<String>,
    pub(crate) code: String,
    pub(crate) customer_id: Option<CustomerId>,
    pub(crate) store_id: StoreId,
    pub(crate) currency: Currency,
    pub(crate) minor: i64,
}

impl Ground {
    /// Issues a gift card with its first balance.
    pub(crate) fn issue_card(&mut self, at: DateTime<Utc>, card: NewCard) -> anyhow::Result<GiftCardId> {
        let id = self.draw.id(at, GiftCardId::new);
        let last4: String = card.code.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        self.rows.gift_cards.push(gift_cards::Model {
            id,
            external_id: card.external_id,
            last4,
            code: card.code,
            customer_id: card.customer_id,
            store_id: card.store_id,
            currency: card.currency,
            initial_minor: card.minor,
            balance_minor: 0,
            held_minor: 0,
            status: GiftCardStatus::Active,
            created_at: at,
            version: 0,
        });
        self.change(at, Purse::Card(id), card.minor, "issued", None)?;
        self.books.post(
            &self.draw,
            at,
            &ledger::gift_card_issued(card.minor)?,
            Refs::of(card.currency),
            "gift card issued",
        )?;
        Ok(id)
    }

    /// Gives store credit for nothing in return.
    pub(crate) fn issue_credit(
        &mut self,
        at: DateTime<Utc>,
        customer: CustomerId,
        currency: Currency,
        minor: i64,
    ) -> anyhow::Result<()> {
        self.change(at, Purse::Credit(customer, currency), minor, "goodwill", None)?;
        let postings = ledger::store_credit_issued(minor)?;
        self.books.post(&self.draw, at, &postings, Refs::of(currency), "store credit issued")
    }

    /// Holds value, or lets it go when `by` is negative.
    pub(crate) fn hold(&mut self, purse: Purse, by: i64) -> anyhow::Result<()> {
        let (balance, held) = match purse {
            Purse::Card(id) => {
                let card = self.card(id)?;
                card.held_minor += by;
                (card.balance_minor, card.held_minor)
            }
            Purse::Credit(customer, currency) => {
                let account = self.account(customer, currency)?;
                account.held_minor += by;
                (account.balance_minor, account.held_minor)
            }
        };
        ensure!((0..=balance).contains(&held), "{held} cannot be held of {balance}");
        Ok(())
    }

    /// Changes a balance and writes the entry that says why.
    pub(crate) fn change(
        &mut self,
        at: DateTime<Utc>,
        purse: Purse,
        by: i64,
        why: &str,
        order_id: Option<OrderId>,
    ) -> anyhow::Result<()> {
        let id = self.draw.id(at, CreditEntryId::new);
        let balance_minor = match purse {
            Purse::Card(gift_card_id) => {
                let card = self.card(gift_card_id)?;
                card.balance_minor += by;
                card.version += 1;
                let balance_minor = card.balance_minor;
                self.rows.gift_card_entries.push(gift_card_entries::Model {
                    id,
                    gift_card_id,
                    amount_minor: by,
                    balance_minor,
                    reason: why.to_owned(),
                    order_id,
                    created_at: at,
                });
                balance_minor
            }
            Purse::Credit(customer_id, currency) => {
                let account = self.account(customer_id, currency)?;
                account.balance_minor += by;
                let balance_minor = account.balance_minor;
                self.rows.credit_entries.push(credit_entries::Model {
                    id,
                    customer_id,
                    amount_minor: by,
                    balance_minor,
                    currency,
                    source: why.to_owned(),
                    reason: why.to_owned(),
                    order_id,
                    created_at: at,
                });
                balance_minor
            }
        };
        if balance_minor < 0 {
            bail!("{purse:?} does not cover {by}");
        }
        Ok(())
    }

    fn card(&mut self, id: GiftCardId) -> anyhow::Result<&mut gift_cards::Model> {
        self.rows
            .gift_cards
            .iter_mut()
            .find(|card| card.id == id)
            .context("a gift card that was never issued")
    }

    fn account(
        &mut self,
        customer_id: CustomerId,
        currency: Currency,
    ) -> anyhow::Result<&mut credit_accounts::Model> {
        let is_it = |row: &credit_accounts::Model| row.customer_id == customer_id && row.currency == currency;
        let accounts = &mut self.rows.credit_accounts;
        if !accounts.iter().any(is_it) {
            let empty = credit_accounts::Model { customer_id, currency, balance_minor: 0, held_minor: 0 };
            accounts.push(empty);
        }
        accounts.iter_mut().find(|row| is_it(row)).context("an account that was just opened")
    }
}
