//! Customers with what they own, and staff.

use std::sync::Arc;

use sea_orm::{ActiveModelTrait, Set};
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{AddressId, CustomerId, GiftCardId, PaymentMethodId, PrincipalId, StaffId};
use shop_domain::ledger::{gift_card_issued, store_credit_issued};
use shop_domain::status::{CustomerStatus, GiftCardStatus, InstrumentKind};
use shop_store::columns::Tags;
use shop_store::entities::{addresses, customers, gift_cards, payment_methods, principals, staff};

use super::{CURRENCY, Rows};
use crate::testing::{Person, hamburg};
use crate::{ledger, tenders};

const GIFT_CARD_MINOR: i64 = 5_000;
const STORE_CREDIT_MINOR: i64 = 3_000;

impl Rows {
    pub(super) async fn person(&self, first: &str, last: &str, gift_card_code: &'static str) -> Person {
        let at = self.ctx.now();
        let customer = customers::ActiveModel {
            id: Set(self.ctx.id(CustomerId::new)),
            external_id: Set(None),
            brand_id: Set(self.brand),
            store_id: Set(self.store),
            email: Set(format!("{}@example.com", first.to_lowercase())),
            first_name: Set(first.into()),
            last_name: Set(last.into()),
            phone: Set(None),
            status: Set(CustomerStatus::Active),
            tags: Set(Tags::default()),
            accepts_marketing: Set(false),
            created_at: Set(at),
            updated_at: Set(at),
            version: Set(1),
        };
        let customer = customer.insert(&*self.tx).await.unwrap().id;
        let address = addresses::ActiveModel {
            id: Set(self.ctx.id(AddressId::new)),
            customer_id: Set(customer),
            label: Set("Home".into()),
            address: Set(hamburg(&format!("{first} {last}"))),
            is_default: Set(true),
            created_at: Set(at),
            updated_at: Set(at),
            version: Set(1),
        };
        let address = address.insert(&*self.tx).await.unwrap().id;
        let gift_card = self.gift_card(customer, gift_card_code).await;
        self.store_credit(customer).await;
        let principal = Principal::human(
            self.ctx.id(PrincipalId::new),
            first.to_lowercase(),
            Role::Shopper,
            Scope::Customer(customer),
        );
        self.principal(&principal).await;
        Person {
            principal: Arc::new(principal),
            customer,
            address,
            card: self.method_of(customer, InstrumentKind::Card, Some("tok_visa"), None).await,
            paypal: self.method_of(customer, InstrumentKind::Paypal, Some("tok_paypal"), None).await,
            gift_card_method: self.method_of(customer, InstrumentKind::GiftCard, None, Some(gift_card)).await,
            gift_card,
            gift_card_code,
        }
    }

    async fn gift_card(&self, customer: CustomerId, code: &str) -> GiftCardId {
        let row = gift_cards::ActiveModel {
            id: Set(self.ctx.id(GiftCardId::new)),
            external_id: Set(None),
            code: Set(code.into()),
            last4: Set(code[code.len() - 4..].into()),
            customer_id: Set(Some(customer)),
            store_id: Set(self.store),
            currency: Set(CURRENCY),
            initial_minor: Set(GIFT_CARD_MINOR),
            balance_minor: Set(0),
            held_minor: Set(0),
            status: Set(GiftCardStatus::Active),
            created_at: Set(self.ctx.now()),
            version: Set(1),
        };
        let id = row.insert(&*self.tx).await.unwrap().id;
        tenders::give_gift_card(&*self.tx, &self.ctx, id, GIFT_CARD_MINOR, "issued", None).await.unwrap();
        let issued = gift_card_issued(GIFT_CARD_MINOR).unwrap();
        ledger::post(&*self.tx, &self.ctx, &issued, ledger::Refs::currency(CURRENCY), "issued")
            .await
            .unwrap();
        id
    }

    async fn store_credit(&self, customer: CustomerId) {
        let to = (customer, CURRENCY);
        tenders::give_credit(&*self.tx, &self.ctx, to, STORE_CREDIT_MINOR, "issued", None).await.unwrap();
        let issued = store_credit_issued(STORE_CREDIT_MINOR).unwrap();
        ledger::post(&*self.tx, &self.ctx, &issued, ledger::Refs::currency(CURRENCY), "issued")
            .await
            .unwrap();
    }

    async fn method_of(
        &self,
        customer: CustomerId,
        kind: InstrumentKind,
        token: Option<&str>,
        gift_card: Option<GiftCardId>,
    ) -> PaymentMethodId {
        let is_card = kind == InstrumentKind::Card;
        let row = payment_methods::ActiveModel {
            id: Set(self.ctx.id(PaymentMethodId::new)),
            external_id: Set(None),
            customer_id: Set(customer),
            kind: Set(kind),
            token: Set(token.map(str::to_owned)),
            gift_card_id: Set(gift_card),
            brand: Set(is_card.then(|| "visa".into())),
            last4: Set(is_card.then(|| "4242".into())),
            label: Set(kind.to_string()),
            is_default: Set(is_card),
            detached_at: Set(None),
            created_at: Set(self.ctx.now()),
            version: Set(1),
        };
        row.insert(&*self.tx).await.unwrap().id
    }

    pub(super) async fn staff(&self, name: &str, role: Role) -> Arc<Principal> {
        let principal = Principal::human(self.ctx.id(PrincipalId::new), name, role, Scope::Store(self.store));
        self.principal(&principal).await;
        Arc::new(principal)
    }

    pub(super) async fn principal(&self, principal: &Principal) {
        let (brand_id, store_id, customer_id) = match principal.scope {
            Scope::Tenant => (None, None, None),
            Scope::Brand(brand) => (Some(brand), None, None),
            Scope::Store(store) => (Some(self.brand), Some(store), None),
            Scope::Customer(customer) => (None, None, Some(customer)),
        };
        let row = principals::ActiveModel {
            id: Set(principal.id),
            name: Set(principal.name.clone()),
            role: Set(principal.role),
            token: Set(format!("token-{}", principal.name)),
            is_agent: Set(false),
            on_behalf_of: Set(None),
            brand_id: Set(brand_id),
            store_id: Set(store_id),
            customer_id: Set(customer_id),
            created_at: Set(self.ctx.now()),
            deactivated_at: Set(None),
        };
        row.insert(&*self.tx).await.unwrap();
        if customer_id.is_none() {
            self.member(principal).await;
        }
    }

    async fn member(&self, principal: &Principal) {
        let row = staff::ActiveModel {
            id: Set(self.ctx.id(StaffId::new)),
            principal_id: Set(principal.id),
            email: Set(format!("{}@harbour.example", principal.name)),
            name: Set(principal.name.clone()),
            invited_by: Set(None),
            created_at: Set(self.ctx.now()),
            updated_at: Set(self.ctx.now()),
            version: Set(1),
        };
        row.insert(&*self.tx).await.unwrap();
    }
}
